"""The command line in this process, over a real database and models that are doubles."""

import json
import logging
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path

import pytest

from adapters.cli import app
from adapters.cli.root import DatabaseReport, PlatformEntry, Root
from adapters.settings import Settings
from bot.clock import Clock
from bot.engine import Engine, Limits
from bot.errors import ModelDown, ModelRefused, StorageError
from bot.parts import (
    Models,
    Parts,
    Remembering,
    Senses,
    choose_default,
    find_persona,
    put_together,
)
from bot.persona_folder import PersonaFolder
from bot.ports import ChatModel, Platform
from storage import open_storage
from tests.fakes import NeutralScorer, ScriptedChat, WordEmbedder, a_persona

PERSONA = """
name = "{name}"
description = "{name} keeps the lighthouse."
greetings = ["Hello from {name}."]
apologies = ["Ask again."]
"""


class House:
    """Makes a Root; what it is made of can be changed before a run."""

    def __init__(self) -> None:
        self.model: ChatModel = ScriptedChat()
        self.embedder = WordEmbedder()
        self.report = DatabaseReport(state="version 1", driver="sqlite3 3.50")
        self.offered: Sequence[str] = ("m",)
        self.endpoint_error: Exception | None = None
        self.database_error: Exception | None = None
        self.platforms: Sequence[PlatformEntry] = ()
        self.restored: list[tuple[Path, Path]] = []

    def root(self) -> Root:
        return Root(
            parts=self.parts,
            remembering=self.remembering,
            senses=self.senses,
            models=self.models,
            storage=open_storage,
            restore=self.restore,
            examine=self.examine,
            endpoint=self.endpoint,
            platforms=self.platforms,
        )

    @asynccontextmanager
    async def models(self, settings: Settings) -> AsyncIterator[Models]:
        del settings
        yield Models(model=self.model, small_model=self.model)

    @asynccontextmanager
    async def senses(self, settings: Settings) -> AsyncIterator[Senses]:
        del settings
        yield Senses(embedder=self.embedder, scorer=NeutralScorer())

    @asynccontextmanager
    async def remembering(self, settings: Settings) -> AsyncIterator[Remembering]:
        personas = PersonaFolder(settings.personas)
        default = choose_default(personas, settings.persona)
        async with open_storage(settings.database) as storage, self.senses(settings) as senses:
            yield Remembering(
                storage=storage, senses=senses, personas=personas, default_persona=default
            )

    @asynccontextmanager
    async def parts(self, settings: Settings, clock: Clock) -> AsyncIterator[Parts]:
        async with self.remembering(settings) as remembering, self.models(settings) as models:
            limits = Limits(burst_seconds=0)
            yield await put_together(
                remembering, models, clock=clock, owners=settings.owners, limits=limits
            )

    def restore(self, backup: Path, database: Path) -> Path | None:
        self.restored.append((backup, database))
        return None

    def examine(self, database: Path) -> DatabaseReport:
        del database
        if self.database_error:
            raise self.database_error
        return self.report

    async def endpoint(self, settings: Settings) -> Sequence[str]:
        del settings
        if self.endpoint_error:
            raise self.endpoint_error
        return self.offered


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> House:
    for field in Settings.model_fields:
        monkeypatch.delenv(field.upper(), raising=False)
    monkeypatch.chdir(tmp_path)
    personas = tmp_path / "personas"
    personas.mkdir()
    for name in ("Ida", "Otto"):
        (personas / f"{name.lower()}.toml").write_text(PERSONA.format(name=name), encoding="utf-8")
    monkeypatch.setenv("PERSONAS", str(personas))
    monkeypatch.setenv("DATABASE", str(tmp_path / "data" / "bower.db"))
    return House()


@pytest.fixture(autouse=True)
def quiet_again() -> Iterator[None]:
    """Each command sets logging up; afterwards it is as pytest left it."""
    root = logging.getLogger()
    level, handlers = root.level, root.handlers[:]
    yield
    root.setLevel(level)
    root.handlers[:] = handlers


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Callable[[str], None]]:
    """Puts text where standard input is read from."""
    with ExitStack() as opened:

        def put(text: str) -> None:
            file = tmp_path / "typed"
            file.write_text(text, encoding="utf-8")
            monkeypatch.setattr("sys.stdin", opened.enter_context(file.open()))

        yield put


def run(root: Root, arguments: Sequence[str]) -> int:
    return app.run(lambda: root, arguments, version="9.9")


Said = pytest.CaptureFixture[str]
Typed = Callable[[str], None]


class TestUsage:
    def test_help_names_the_commands(self, house: House, capsys: Said) -> None:
        assert run(house.root(), ["--help"]) == 0
        shown = capsys.readouterr().out
        for command in ("chat", "recall", "backup", "restore", "reembed", "doctor"):
            assert command in shown

    @pytest.mark.parametrize("command", ["chat", "recall", "backup", "restore", "doctor"])
    def test_each_command_explains_itself(self, house: House, capsys: Said, command: str) -> None:
        assert run(house.root(), [command, "--help"]) == 0
        assert len(capsys.readouterr().out.splitlines()) > 5

    def test_version(self, house: House, capsys: Said) -> None:
        assert run(house.root(), ["--version"]) == 0
        assert capsys.readouterr().out == "Bower 9.9\n"

    @pytest.mark.parametrize(
        "arguments",
        [
            ["dance"],
            ["--loud"],
            ["recall"],
            ["recall", "x", "--limit", "0"],
            ["recall", "x", "--limit", "few"],
            ["chat", "--persona"],
            ["chat", "--persona", "nobody"],
            ["backup"],
            ["backup", "here.db"],
            ["restore", "nowhere.db"],
            ["recall", "x", "--as", "discord:"],
            ["recall", "x", "--as", "Nobody"],
            [],
        ],
    )
    def test_wrong_usage_is_a_sentence_and_code_2(
        self, house: House, capsys: Said, arguments: list[str]
    ) -> None:
        assert run(house.root(), arguments) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert said.err.count("\n") == 1
        assert "Traceback" not in said.err

    def test_a_wrong_setting_is_a_sentence_and_code_2(
        self, house: House, capsys: Said, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("REPLY_TOKENS", "many")
        assert run(house.root(), ["chat"]) == 2
        assert capsys.readouterr().err.startswith("REPLY_TOKENS cannot be used")

    def test_no_personas_at_all(
        self, house: House, capsys: Said, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setenv("PERSONAS", str(tmp_path / "nothing"))
        assert run(house.root(), ["chat"]) == 1
        assert "set PERSONAS" in capsys.readouterr().err

    def test_a_failure_is_a_sentence_and_code_1(self, house: House, capsys: Said) -> None:
        house.model = ScriptedChat()
        Path("data").mkdir()
        Path("data/bower.db").write_bytes(b"this is no database at all" * 100)
        assert run(house.root(), ["recall", "x"]) == 1
        said = capsys.readouterr()
        assert said.out == ""
        assert said.err.count("\n") == 1

    def test_the_unexpected_has_a_traceback_only_at_debug(
        self, house: House, capsys: Said, monkeypatch: pytest.MonkeyPatch, typed: Typed
    ) -> None:
        class Broken(House):
            @asynccontextmanager
            async def parts(self, settings: Settings, clock: Clock) -> AsyncIterator[Parts]:
                raise ZeroDivisionError("never")
                yield

        typed("hello\n")
        assert run(Broken().root(), ["chat"]) == 1
        assert "Traceback" not in capsys.readouterr().err
        monkeypatch.setenv("LOG_LEVEL", "DEBUG")
        assert run(Broken().root(), ["chat"]) == 1
        assert "Traceback" in capsys.readouterr().err

    def test_interrupted_is_130(self, capsys: Said) -> None:
        class Interrupted(House):
            @asynccontextmanager
            async def parts(self, settings: Settings, clock: Clock) -> AsyncIterator[Parts]:
                raise KeyboardInterrupt
                yield

        assert run(Interrupted().root(), ["chat"]) == 130
        assert capsys.readouterr().err == ""


class TestChat:
    def test_three_lines_have_three_replies(self, house: House, capsys: Said, typed: Typed) -> None:
        typed("one\ntwo\nthree\n")
        assert run(house.root(), ["chat", "--as", "Ana"]) == 0
        assert capsys.readouterr().out.splitlines() == [
            "Ida: I heard: one",
            "Ida: I heard: two",
            "Ida: I heard: three",
        ]

    def test_how_to_connect_a_model_is_said_once_on_stderr(
        self, house: House, capsys: Said, typed: Typed
    ) -> None:
        typed("")
        assert run(house.root(), ["chat"]) == 0
        first = capsys.readouterr()
        assert "OPENAI_BASE_URL=" in first.err
        assert "MODEL=" in first.err
        assert first.out == ""
        typed("")
        assert run(house.root(), ["chat"]) == 0
        assert capsys.readouterr().err == ""

    def test_the_persona_is_found_by_name(self, house: House, capsys: Said, typed: Typed) -> None:
        typed("hello\n")
        assert run(house.root(), ["chat", "--persona", "OTTO"]) == 0
        assert capsys.readouterr().out.startswith("Otto: ")

    def test_in_a_room_only_what_is_addressed_is_answered(
        self, house: House, capsys: Said, typed: Typed
    ) -> None:
        typed("Ana: hello all\nBen: @Ida how are you?\n")
        assert run(house.root(), ["chat", "--group"]) == 0
        assert capsys.readouterr().out.count("\n") == 1

    def test_a_line_that_could_not_be_dealt_with_makes_it_fail(
        self, house: House, capsys: Said, typed: Typed, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def full(*_: object) -> None:
            raise StorageError("The disk is full; make room.")

        monkeypatch.setattr(Engine, "handle", full)
        typed("hello\n")
        assert run(house.root(), ["chat"]) == 1
        assert "The disk is full; make room.\n" in capsys.readouterr().err


class TestRecall:
    @pytest.fixture
    def talked(self, house: House, typed: Typed, capsys: Said) -> House:
        typed("The storm broke the pier\nMy dog is called Rex\n")
        assert run(house.root(), ["chat", "--as", "Ana"]) == 0
        capsys.readouterr()
        return house

    def test_json_is_one_object_with_ids_and_names(self, talked: House, capsys: Said) -> None:
        arguments = ["recall", "what is my dog called", "--as", "ana", "--limit", "2", "--json"]
        assert run(talked.root(), arguments) == 0
        said = capsys.readouterr()
        found = json.loads(said.out)
        assert said.out.count("\n") == 1
        assert said.err == ""
        assert found["query"] == "what is my dog called"
        assert len(found["results"]) == 2
        best = found["results"][0]
        assert set(best) == {"event", "text", "at", "speaker", "place", "score", "parts"}
        assert "dog" in best["text"]
        assert set(best["speaker"]) == set(best["place"]) == {"id", "name"}
        assert best["at"].endswith("+00:00")
        assert best["score"] == pytest.approx(sum(best["parts"].values()), abs=1e-4)

    def test_a_dm_is_nobody_elses(self, talked: House, capsys: Said, typed: Typed) -> None:
        typed("I am new here\n")
        assert run(talked.root(), ["chat", "--as", "Ben"]) == 0
        capsys.readouterr()
        assert run(talked.root(), ["recall", "dog Rex storm", "--as", "Ben", "--json"]) == 0
        texts = [r["text"] for r in json.loads(capsys.readouterr().out)["results"]]
        assert not any("Rex" in text or "storm" in text for text in texts)

    def test_an_account_can_be_given(self, talked: House, capsys: Said) -> None:
        assert run(talked.root(), ["recall", "dog", "--as", "terminal:ana"]) == 0
        assert "Ana: My dog is called Rex" in capsys.readouterr().out

    def test_another_persona_knows_nothing(self, talked: House, capsys: Said) -> None:
        arguments = ["recall", "dog", "--as", "Ana", "--persona", "otto", "--json"]
        assert run(talked.root(), arguments) == 0
        assert json.loads(capsys.readouterr().out)["results"] == []


class TestImport:
    CHAT = "[2024-05-01 10:00] Ana: My dog is called Rex\n[2024-05-01 10:01] Ida: Good name.\n"

    @pytest.fixture
    def chat(self, tmp_path: Path) -> str:
        (tmp_path / "chat.txt").write_text(self.CHAT, encoding="utf-8")
        return "chat.txt"

    def test_json_is_one_object_and_a_repetition_adds_nothing(
        self, house: House, capsys: Said, chat: str
    ) -> None:
        for new, known in ((2, 0), (0, 2)):
            assert run(house.root(), ["import", chat, "--json"]) == 0
            said = capsys.readouterr()
            assert said.out.count("\n") == 1
            [file] = json.loads(said.out)["files"]
            assert (file["new"], file["known"]) == (new, known)
            assert file["speakers"]["Ida"] == "the persona Ida"

    def test_what_was_imported_is_recalled(self, house: House, capsys: Said, chat: str) -> None:
        assert run(house.root(), ["import", chat]) == 0
        assert "2 new" in capsys.readouterr().out
        assert run(house.root(), ["recall", "dog", "--as", "ana"]) == 0
        assert "Rex" in capsys.readouterr().out

    def test_a_mapped_speaker_is_that_account(self, house: House, capsys: Said, chat: str) -> None:
        assert run(house.root(), ["import", chat, "--map", "Ana=discord:7"]) == 0
        capsys.readouterr()
        assert run(house.root(), ["recall", "dog", "--as", "discord:7"]) == 0
        assert "Rex" in capsys.readouterr().out

    def test_a_card_becomes_a_persona_and_goes_out_again(
        self, house: House, capsys: Said, tmp_path: Path, typed: Typed
    ) -> None:
        card = {
            "spec": "chara_card_v2",
            "spec_version": "2.0",
            "data": {"name": "Nell", "description": "A baker.", "first_mes": "Bread?"},
        }
        (tmp_path / "nell.json").write_text(json.dumps(card), encoding="utf-8")
        assert run(house.root(), ["import", "nell.json", "--json"]) == 0
        [made] = json.loads(capsys.readouterr().out)["personas"]
        assert made["name"] == "Nell"
        typed("hello\n")
        assert run(house.root(), ["chat", "--persona", "nell"]) == 0
        assert capsys.readouterr().out.startswith("Nell: ")
        assert run(house.root(), ["export-card", "Nell", "out.png"]) == 0
        assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")
        assert capsys.readouterr().out == ""

    @pytest.mark.parametrize(
        ("arguments", "code"),
        [(["nothing.txt"], 1), (["chat.txt", "--map", "Ana"], 2), ([], 2)],
    )
    def test_what_cannot_be_imported_is_a_sentence(
        self, house: House, capsys: Said, chat: str, arguments: list[str], code: int
    ) -> None:
        assert run(house.root(), ["import", *arguments]) == code
        said = capsys.readouterr()
        assert said.out == ""
        assert len([line for line in said.err.splitlines() if line.endswith(".")]) == 1


class TestTheDatabase:
    @pytest.fixture
    def talked(self, house: House, typed: Typed, capsys: Said) -> House:
        typed("one\ntwo\n")
        assert run(house.root(), ["chat"]) == 0
        capsys.readouterr()
        return house

    def test_another_encoder_is_said_and_mended_by_reembed(
        self, talked: House, typed: Typed, capsys: Said
    ) -> None:
        talked.embedder = WordEmbedder(name="other", dimension=32)
        assert run(talked.root(), ["reembed"]) == 0
        assert "4 memories were embedded" in capsys.readouterr().err
        assert run(talked.root(), ["reembed"]) == 0
        assert "0 memories were embedded" in capsys.readouterr().err

    def test_restore_asks_first(
        self, talked: House, capsys: Said, tmp_path: Path, typed: Typed
    ) -> None:
        (tmp_path / "old.db").touch()
        typed("n\n")
        assert run(talked.root(), ["restore", "old.db"]) == 130
        assert talked.restored == []
        assert "Put old.db in the place of" in capsys.readouterr().err

    def test_restore_with_yes_does_not_ask(
        self, talked: House, capsys: Said, tmp_path: Path
    ) -> None:
        (tmp_path / "old.db").touch()
        assert run(talked.root(), ["restore", "old.db", "--yes"]) == 0
        [(backup, database)] = talked.restored
        assert (backup, database) == (Path("old.db"), tmp_path / "data" / "bower.db")

    def test_backup_never_writes_over_a_file(
        self, talked: House, capsys: Said, tmp_path: Path
    ) -> None:
        (tmp_path / "old.db").write_text("precious", encoding="utf-8")
        assert run(talked.root(), ["backup", "old.db"]) == 2
        assert (tmp_path / "old.db").read_text(encoding="utf-8") == "precious"


class TestDoctor:
    def states(self, house: House, capsys: Said, code: int = 0) -> dict[str, str]:
        assert run(house.root(), ["doctor", "--json"]) == code
        said = capsys.readouterr()
        assert said.out.count("\n") == 1
        return {c["name"]: c["state"] for c in json.loads(said.out)["checks"]}

    def test_all_is_well_and_nothing_is_made(
        self, house: House, capsys: Said, tmp_path: Path
    ) -> None:
        states = self.states(house, capsys)
        assert set(states.values()) == {"ok"}
        assert {"python", "settings", "personas", "database", "encoder", "model"} <= set(states)
        assert not (tmp_path / "data").exists()

    def test_plain_lines_say_the_state_first(self, house: House, capsys: Said) -> None:
        assert run(house.root(), ["doctor"]) == 0
        assert all(line.startswith("ok  ") for line in capsys.readouterr().out.splitlines())

    def test_a_wrong_setting_fails(
        self, house: House, capsys: Said, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("CONTEXT_TOKENS", "few")
        assert self.states(house, capsys, code=1)["settings"] == "fail"

    def test_a_sick_database_fails(self, house: House, capsys: Said) -> None:
        house.database_error = StorageError("A page is torn; restore the last backup.")
        assert self.states(house, capsys, code=1)["database"] == "fail"

    def test_a_slow_search_is_a_warning(self, house: House, capsys: Said) -> None:
        house.report = DatabaseReport(state="version 1", driver="sqlite3", slow="NumPy searches.")
        assert self.states(house, capsys)["database"] == "warn"

    def test_an_endpoint_that_does_not_answer_fails(
        self, house: House, capsys: Said, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
        monkeypatch.setenv("MODEL", "m")
        house.endpoint_error = ModelDown("Nobody answers at the address; start the server.")
        assert self.states(house, capsys, code=1)["endpoint"] == "fail"

    def test_a_model_that_is_not_offered_is_a_warning(
        self, house: House, capsys: Said, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
        monkeypatch.setenv("MODEL", "other")
        assert self.states(house, capsys)["endpoint"] == "warn"

    def test_a_model_that_refuses_fails(self, house: House, capsys: Said) -> None:
        house.model = ScriptedChat(lambda _: ModelRefused("The key is wrong; set another."))
        assert self.states(house, capsys, code=1)["model"] == "fail"

    def test_a_broken_persona_and_a_foreign_one_are_warnings(
        self, house: House, capsys: Said, tmp_path: Path
    ) -> None:
        (tmp_path / "personas" / "bad.toml").write_text("name = ", encoding="utf-8")
        (tmp_path / "personas" / "li.toml").write_text(
            PERSONA.format(name="Li") + 'language = "zh"\n', encoding="utf-8"
        )
        assert run(house.root(), ["doctor"]) == 0
        lines = [x for x in capsys.readouterr().out.splitlines() if x.startswith("warn")]
        assert len(lines) == 2
        assert any("bad.toml" in line for line in lines)
        assert any("multilingual" in line for line in lines)

    def test_a_token_without_owners_is_a_warning(
        self, house: House, capsys: Said, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        house.platforms = [_entry([])]
        monkeypatch.setenv("DISCORD_TOKEN", "t")
        assert self.states(house, capsys)["platforms"] == "warn"


class TestRunning:
    def test_without_a_token_it_says_what_to_do(self, house: House, capsys: Said) -> None:
        house.platforms = [_entry([])]
        assert run(house.root(), []) == 2
        said = capsys.readouterr().err
        assert "DISCORD_TOKEN" in said
        assert "main.py chat" in said

    def test_it_starts_what_has_a_token_until_all_have_ended(
        self, house: House, monkeypatch: pytest.MonkeyPatch, capsys: Said
    ) -> None:
        from tests.fakes import ListPlatform

        class Ends(ListPlatform):
            ran = False

            async def run(self, handle: object) -> None:
                self.ran = True

        platform = Ends()
        house.platforms = [_entry([platform])]
        monkeypatch.setenv("DISCORD_TOKEN", "t")
        assert run(house.root(), []) == 0
        assert platform.ran
        assert "Traceback" not in capsys.readouterr().err


def _entry(platforms: Sequence[Platform]) -> PlatformEntry:
    return PlatformEntry(
        name="Discord", setting="DISCORD_TOKEN", make=lambda _settings, _parts: platforms
    )


def test_the_default_persona_is_the_wanted_the_usual_or_the_first() -> None:
    two = {"otto": a_persona("otto", "Otto"), "ida": a_persona()}
    assert choose_default(two, None) == "ida"
    assert choose_default(two, "Otto") == "otto"
    assert choose_default({**two, "senga": a_persona("senga", "Senga")}, None) == "senga"


def test_a_persona_is_found_by_key_name_or_nickname() -> None:
    ida = {"ida": a_persona(nicknames=["Keeper"])}
    assert [find_persona(ida, w) for w in ("ida", " IDA ", "keeper")] == ["ida"] * 3
