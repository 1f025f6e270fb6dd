"""The command line: import, recall and the database."""

import json
from pathlib import Path

import pytest

from tests.cli_house import House, Said, Typed, house, quiet_again, run, typed
from tests.fakes import WordEmbedder

__all__ = ["house", "quiet_again", "typed"]  # fixtures


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

    def test_every_strategy_can_be_tried(self, talked: House, capsys: Said) -> None:
        parts = {}
        for name in ("semantic", "c-a", "s-e", "blend"):
            arguments = ["recall", "my dog", "--as", "Ana", "--strategy", name, "--json"]
            assert run(talked.root(), [*arguments, "--mode", "off"]) == 0
            found = json.loads(capsys.readouterr().out)
            assert found["strategy"] == name
            parts[name] = set(found["results"][0]["parts"])
        assert parts["semantic"] == {"semantic"}
        assert parts["blend"] >= {"meaning", "words", "feeling", "against", "asked feeling"}

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
        assert run(house.root(), ["import", "nell.json"]) == 1
        assert "--key NAME" in capsys.readouterr().err
        assert run(house.root(), ["import", "nell.json", "--overwrite"]) == 0
        assert run(house.root(), ["import", "nell.json", "--key", "nell_2"]) == 0
        assert "is the persona nell_2 now" in capsys.readouterr().out
        assert run(house.root(), ["import", "nell.json", "nell.json", "--key", "x"]) == 2
        assert "--key names one card" in capsys.readouterr().err
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
        assert run(talked.root(), ["restore", "old.db"]) == 1
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
