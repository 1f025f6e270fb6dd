"""/persona import: a card that somebody attaches becomes a persona, or a sentence says why not."""

import os
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from adapters.card_files import take_in_card
from bot.engine import Engine
from bot.errors import SendError
from bot.messages import Command, Handed, Reply, Rights
from bot.persona_folder import PersonaFolder
from bot.ports import Storage
from storage.driver import pick_driver
from tests.cards.makers import png, t_ext, text, v2
from tests.conftest import LIMITS
from tests.fakes import (
    FakeClock,
    ListPlatform,
    NeutralScorer,
    ScriptedChat,
    WordEmbedder,
    person,
    room,
)
from tests.storage.scenes import look
from tests.test_process import PERSONA

CARD = text(v2(name="Brenna"))


@dataclass(frozen=True, slots=True)
class House:
    """A running engine whose personas are files in a folder."""

    engine: Engine
    cast: PersonaFolder
    folder: Path
    platform: ListPlatform
    clock: FakeClock

    async def give(
        self, file: Handed | None, *, rights: Rights = Rights.ADMIN, what: str = "import"
    ) -> Reply:
        command = Command(
            id=f"c{len(self.platform.sent)}",
            name="persona",
            options={"what": what},
            where=room(),
            author=person("Olga"),
            at=self.clock.now(),
            rights=rights,
            file=file,
        )
        await self.engine.handle(command, self.platform.send)
        return self.platform.sent[-1]


def handed(content: bytes, name: str = "brenna.json", size: int | None = None) -> Handed:
    async def read() -> bytes:
        return content

    return Handed(name=name, size=len(content) if size is None else size, read=read)


@pytest.fixture
async def house(
    store: Storage, tmp_path: Path, clock: FakeClock, model: ScriptedChat
) -> AsyncIterator[House]:
    folder = tmp_path / "personas"
    folder.mkdir()
    (folder / "ida.toml").write_text(PERSONA, encoding="utf-8")
    cast = PersonaFolder(folder, keep="ida")
    cast.take_in = take_in_card
    await store.persona("ida", "Ida")
    engine = Engine(
        storage=store,
        model=model,
        small_model=model,
        embedder=WordEmbedder(),
        scorer=NeutralScorer(),
        personas=cast,
        default_persona="ida",
        clock=clock,
        limits=LIMITS,
    )
    async with engine:
        yield House(engine, cast, folder, ListPlatform(), clock)


@pytest.mark.parametrize(
    ("content", "name"),
    [(CARD, "brenna.json"), (png(t_ext(b"chara", v2(name="Brenna"))), "picture.png")],
)
async def test_a_card_becomes_a_persona_and_the_audit_knows(
    house: House, tmp_path: Path, content: bytes, name: str
) -> None:
    answer = await house.give(handed(content, name))
    assert answer.text.splitlines()[0] == (
        "Brenna is the persona brenna in a moment: /persona use brenna."
    )
    assert house.cast.refresh().added == ("brenna",)
    assert "Brenna (brenna)" in (await house.give(None, what="list")).text
    rows = look(pick_driver(), tmp_path / "bower.db", "select action, target from audit")
    assert [tuple(row) for row in rows] == [("persona import", "persona brenna")]


async def test_nothing_is_overwritten(house: House) -> None:
    await house.give(handed(CARD))
    before = sorted(path.name for path in house.folder.iterdir())
    again = await house.give(handed(text(v2(name="Brenna", description="Another."))))
    assert "brenna" in again.text
    assert "in a moment" not in again.text
    assert sorted(path.name for path in house.folder.iterdir()) == before


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"\x89PNG\r\n\x1a\n", b"\xff" * 5000, b'{"spec": "chara_card_v2"}'],
)
async def test_what_is_no_card_is_said_and_leaves_nothing(house: House, content: bytes) -> None:
    answer = await house.give(handed(content, "../../evil.json"))
    assert answer.text
    assert "in a moment" not in answer.text
    assert [path.name for path in house.folder.iterdir()] == ["ida.toml"]
    assert sorted(path.name for path in house.folder.parent.glob("*.json")) == []


async def test_members_cannot_and_without_a_file_it_says_how(house: House) -> None:
    refused = await house.give(handed(CARD), rights=Rights.MEMBER)
    assert refused.text == "/persona is for admins."
    assert "Attach the character card" in (await house.give(None)).text
    assert [path.name for path in house.folder.iterdir()] == ["ida.toml"]


async def test_a_large_file_is_not_even_fetched(house: House) -> None:
    async def read() -> bytes:
        raise AssertionError("it was fetched")

    answer = await house.give(Handed(name="big.png", size=10_000_001, read=read))
    assert "10 MB are taken" in answer.text


async def test_a_file_that_cannot_be_had_is_said(house: House) -> None:
    async def read() -> bytes:
        raise SendError("The file could not be had from Discord (TimeoutError).")

    answer = await house.give(Handed(name="b.png", size=9, read=read))
    assert "could not be had" in answer.text


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
async def test_a_folder_that_cannot_be_written_is_said(house: House) -> None:
    house.folder.chmod(0o500)
    try:
        answer = await house.give(handed(CARD))
    finally:
        house.folder.chmod(0o700)
    assert "set PERSONAS" in answer.text


async def test_the_folder_does_not_grow_without_end(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.persona_folder.MOST_PERSONAS", 1)
    assert "1 personas already" in (await house.give(handed(CARD))).text
    assert [path.name for path in house.folder.iterdir()] == ["ida.toml"]
