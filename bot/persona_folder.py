"""The folder of persona files: read at the start, and again when a file changes."""

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.cards.stored import ENDING, read_card_persona
from bot.errors import PersonaError
from bot.persona import Persona, read_persona

log = logging.getLogger(__name__)

MOST_PERSONAS = 200
"""Beyond so many, nobody can add one from a chat."""


def read_personas(folder: Path) -> tuple[dict[str, Persona], list[str]]:
    """All personas of a folder by key, and a sentence for each file that cannot be used.

    Raises PersonaError if the folder is missing.
    """
    personas = PersonaFolder(folder)
    return dict(personas), list(personas.problems)


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What a look at the folder brought, by key."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """A file as it was when it was last read; `problem` is empty if it could be used."""

    stamp: tuple[int, int, int]
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenIn:
    """A card that is now a persona, and what its author should know about the reading."""

    key: str
    name: str
    warnings: tuple[str, ...]


TakeIn = Callable[[str, bytes, Path], TakenIn]
"""Makes a persona in a folder of a card's content, given the name of its file. Blocks; raises
PersonaError, having written nothing."""


class PersonaFolder(Mapping[str, Persona]):
    """The personas of a folder by key, kept up to date by `refresh`.

    Reading from it is safe while another thread refreshes: what it holds is replaced as a
    whole. Raises PersonaError if the folder is missing.
    """

    def __init__(self, folder: Path, *, keep: str = "") -> None:
        """`keep` is the key of a persona that stays even when its file goes: the default."""
        self._folder = folder
        self.keep = keep
        self.take_in: TakeIn | None = None
        self._lost = False  # the folder itself could not be read at the last look
        self._seen: dict[Path, _Seen] = {}
        self._personas: dict[str, Persona] = {}
        self._take_up()

    def __getitem__(self, key: str) -> Persona:
        return self._personas[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._personas)

    def __len__(self) -> int:
        return len(self._personas)

    @property
    def problems(self) -> tuple[str, ...]:
        """A sentence for each file that cannot be used as it stands now."""
        return tuple(seen.problem for seen in self._seen.values() if seen.problem)

    @property
    def broken(self) -> dict[str, str]:
        """What is wrong with each persona that cannot play at all, by key."""
        found = {_key(path).casefold(): seen.problem for path, seen in self._seen.items()}
        return {key: said for key, said in found.items() if said and key not in self._personas}

    def take(self, name: str, content: bytes) -> TakenIn:
        """A card becomes a persona of the folder; the next `refresh` finds it. Blocks.
        Raises PersonaError."""
        if self.take_in is None:
            raise PersonaError("Personas cannot be imported here; ask the operator.")
        if len(self) >= MOST_PERSONAS:
            raise PersonaError(f"There are {len(self)} personas already; ask the operator.")
        try:
            return self.take_in(name, content, self._folder)
        except OSError as error:
            raise PersonaError(
                f"The folder of personas cannot be written to ({error.strerror}); ask the "
                "operator to set PERSONAS to one that can."
            ) from error

    def refresh(self) -> Changes:
        """Takes up files that are new, changed or gone, and says which.

        Reads only files whose time or size differ from the last look. A broken change is
        logged once, and the persona stays as it was.
        """
        before, known = self._personas, set(self.problems)
        try:
            self._take_up()
        except PersonaError as error:
            if not self._lost:
                log.warning("%s The personas stay as they were.", error)
            self._lost = True
            return Changes()
        self._lost = False
        for problem in self.problems:
            if problem not in known:
                log.warning("%s The persona stays as it was before, if it was known.", problem)
        now = self._personas
        return Changes(
            added=tuple(key for key in now if key not in before),
            changed=tuple(key for key in now if key in before and now[key] != before[key]),
            removed=tuple(key for key in before if key not in now),
        )

    def _take_up(self) -> None:
        personas: dict[str, Persona] = {}
        seen: dict[Path, _Seen] = {}
        for path in _persona_files(self._folder):
            key = _key(path)
            if key in personas:
                seen[path] = _Seen(
                    stamp=(0, 0, 0), problem=f"{path}: not used, another file is named {key} too."
                )
                continue
            stamp = _stamp(path)
            if stamp is None:
                continue  # gone since the folder was listed
            before = self._seen.get(path)
            if before is not None and before.stamp == stamp:
                seen[path] = before
                persona = self._personas.get(key)
            else:
                persona, problem = self._read(path, key)
                seen[path] = _Seen(stamp=stamp, problem=problem)
            if persona is not None:
                personas[key] = persona
        if self.keep in self._personas and self.keep not in personas:
            personas[self.keep] = self._personas[self.keep]
        self._personas, self._seen = personas, seen

    def _read(self, path: Path, key: str) -> tuple[Persona | None, str]:
        """The persona of a file, or as it was before and what is wrong now."""
        try:
            return _READERS[_ending(path)](path), ""
        except PersonaError as error:
            return self._personas.get(key), str(error)


_READERS = {".toml": read_persona, ENDING: read_card_persona}


def _persona_files(folder: Path) -> list[Path]:
    """In order of preference: of two files with one key, the first is the persona.

    Raises PersonaError if the folder cannot be read.
    """
    try:
        paths = [path for path in folder.iterdir() if _ending(path) and path.is_file()]
    except OSError as error:
        raise PersonaError(
            f"{folder}: no such folder; set PERSONAS to the folder of persona files."
        ) from error
    return sorted(paths, key=lambda path: (list(_READERS).index(_ending(path)), path.name))


def _ending(path: Path) -> str:
    return next((ending for ending in _READERS if path.name.endswith(ending)), "")


def _key(path: Path) -> str:
    return path.name.removesuffix(_ending(path))


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
