"""From a card file to a persona in the folder, and back to a file."""

import json
from pathlib import Path

import pytest

from adapters.card_files import (
    CardKind,
    export_card,
    export_persona,
    import_card,
    import_card_file,
    read_card_file,
)
from bot.cards.model import JsonObject
from bot.errors import PersonaError
from bot.persona import Persona
from bot.persona_folder import read_personas
from tests.cards.makers import Data, book, charx, chunk, entry, i_txt, png, t_ext, text, v2, v3


def the_only(folder: Path) -> Persona:
    personas, problems = read_personas(folder)
    assert problems == []
    (persona,) = personas.values()
    return persona


def test_an_imported_card_is_a_persona_of_the_folder(tmp_path: Path) -> None:
    imported = import_card(png(t_ext(b"chara", v2())), "mirela.png", tmp_path)
    assert (imported.key, imported.name, imported.warnings) == ("mirela", "Mirela", ())
    assert imported.path == tmp_path / "mirela.card.json"
    persona = the_only(tmp_path)
    assert persona.greetings[1:] == ("You are dripping.", "Sit.")
    assert persona.instructions_last == "Stay brief."
    assert persona.depth_notes[0].depth == 3
    assert persona.examples[0].reply == "Shake it first."
    assert persona.avatar == "mirela.png"
    assert (tmp_path / "mirela.png").read_bytes() == png()


def test_the_stored_card_is_the_whole_card_and_holds_nothing_twice(tmp_path: Path) -> None:
    card = v2(extensions={"chub": {"id": 7}}, unheard="of", character_book=book(entry(odd=[1])))
    imported = import_card(text(card), "a.json", tmp_path)
    assert json.loads(imported.path.read_text(encoding="utf-8")) == card
    assert [path.name for path in tmp_path.iterdir()] == ["mirela.card.json"]


def test_an_author_edits_the_stored_card(tmp_path: Path) -> None:
    imported = import_card(text(v2()), "a.json", tmp_path)
    card = json.loads(imported.path.read_text(encoding="utf-8"))
    card["data"]["scenario"] = "It has stopped raining."
    card["data"]["extensions"]["bower"] = {"time_zone": "Europe/Bucharest", "knows": ["silk"]}
    imported.path.write_text(json.dumps(card), encoding="utf-8")
    persona = the_only(tmp_path)
    assert persona.scenario == "It has stopped raining."
    assert (persona.time_zone, persona.knows) == ("Europe/Bucharest", ("silk",))


def test_a_name_that_is_taken_is_never_overwritten_unasked(tmp_path: Path) -> None:
    first = import_card(text(v2()), "a.json", tmp_path)
    before = first.path.read_bytes()
    with pytest.raises(PersonaError, match="exists already"):
        import_card(png(t_ext(b"chara", v2(scenario="other"))), "b.png", tmp_path)
    assert first.path.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["mirela.card.json"]


def test_another_key_can_be_given(tmp_path: Path) -> None:
    import_card(text(v2()), "a.json", tmp_path)
    assert import_card(text(v2()), "a.json", tmp_path, key="mirela_2").key == "mirela_2"
    assert set(read_personas(tmp_path)[0]) == {"mirela", "mirela_2"}


@pytest.mark.parametrize("key", ["../x", "A", "", "a" * 65, ".card", "a/b"])
def test_a_key_that_is_none_is_refused(tmp_path: Path, key: str) -> None:
    if key == "":
        assert import_card(text(v2()), "a.json", tmp_path, key=key).key == "mirela"
        return
    with pytest.raises(PersonaError, match="cannot be a persona's key"):
        import_card(text(v2()), "a.json", tmp_path, key=key)
    assert list(tmp_path.iterdir()) == []


def test_asked_to_overwrite_nothing_of_the_old_card_is_left(tmp_path: Path) -> None:
    import_card(charx(v3(), assets__a_dot_png=png()), "a.charx", tmp_path)
    assert (tmp_path / "mirela.assets.zip").exists()
    import_card(text(v2(scenario="new")), "b.json", tmp_path, overwrite=True)
    assert the_only(tmp_path).scenario == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["mirela.card.json"]


def test_a_hand_written_persona_is_not_overwritten_even_if_asked(tmp_path: Path) -> None:
    written = tmp_path / "mirela.toml"
    written.write_text("name = 'M'", encoding="utf-8")
    with pytest.raises(PersonaError, match="is a persona already"):
        import_card(text(v2()), "a.json", tmp_path, overwrite=True)
    assert list(tmp_path.iterdir()) == [written]


def test_a_refused_card_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(PersonaError):
        import_card(b"{", "a.json", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(PersonaError, match="no such folder"):
        import_card(text(v2()), "a.json", tmp_path / "nowhere")


def test_a_large_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    large = tmp_path / "large.png"
    with large.open("wb") as out:
        out.truncate(200_000_000)
    with pytest.raises(PersonaError, match=r"large.png: 200 MB is too large"):
        import_card_file(large, tmp_path)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(PersonaError, match="cannot be read"):
        import_card_file(tmp_path / "none.png", tmp_path)


@pytest.mark.parametrize(
    ("name", "file", "key"),
    [
        ("Zoë Šťastná", "a.png", "zoe-stastna"),
        ("../../etc/passwd", "a.png", "etc-passwd"),
        ("雪女", "yuki.png", "yuki"),
        ("🦊", "C:\\cards\\fox.png", "fox"),
        ("ليلى", "../layla.card.png", "layla"),
        ("A" * 300, "a.png", "a" * 64),
        ("", "Some File.png", "some-file"),
        (" \u200b\n", "x.png", "x"),
        ("CON", "a.png", "con"),
    ],
)
def test_every_name_gives_a_key(tmp_path: Path, name: str, file: str, key: str) -> None:
    imported = import_card(png(i_txt(b"ccv3", v3(name=name))), file, tmp_path)
    assert imported.key == key
    persona = the_only(tmp_path)
    assert persona.name.strip()
    assert len(persona.name) <= 80


def test_names_without_any_letter_give_different_keys(tmp_path: Path) -> None:
    keys = {import_card(text(v2(name=name)), "雪.json", tmp_path).key for name in ("雪", "月")}
    assert len(keys) == 2
    assert all(key.startswith("card-") for key in keys)


def test_remote_pictures_are_told_and_kept_but_not_fetched(tmp_path: Path) -> None:
    asset = {"type": "icon", "uri": "https://example.org/a.png", "name": "main", "ext": "png"}
    imported = import_card(text(v3(assets=[asset])), "a.json", tmp_path)
    assert "1 pictures on other servers were not fetched." in imported.warnings
    assert json.loads(imported.path.read_text(encoding="utf-8"))["data"]["assets"] == [asset]
    assert not (tmp_path / "mirela.png").exists()


@pytest.mark.parametrize("scheme", ["embeded", "embedded"])
def test_the_icon_of_a_charx_becomes_the_picture(tmp_path: Path, scheme: str) -> None:
    icon = {"type": "icon", "uri": f"{scheme}://assets/a.png", "name": "main", "ext": "png"}
    import_card(charx(v3(assets=[icon]), assets__a_dot_png=png()), "a.charx", tmp_path)
    assert (tmp_path / "mirela.png").read_bytes().startswith(b"\x89PNG")


def test_a_broken_v3_card_falls_back_to_the_v2_card(tmp_path: Path) -> None:
    file = png(t_ext(b"ccv3", "broken"), t_ext(b"chara", v2()))
    imported = import_card(file, "a.png", tmp_path)
    assert "better card is broken" in " ".join(imported.warnings)


@pytest.mark.parametrize("kind", [CardKind.JSON, CardKind.PNG])
@pytest.mark.parametrize("version", [2, 3])
def test_an_exported_card_is_the_imported_card(
    tmp_path: Path, kind: CardKind, version: int
) -> None:
    card: Data = v2(character_book=book(entry())) if version == 2 else v3(nickname="Mi")
    import_card(png(t_ext(b"chara", card)), "a.png", tmp_path, key="mirela")
    target = tmp_path / f"out.{kind}"
    exported = export_persona(tmp_path, "mirela", target, version=version)
    assert exported.warnings == ()
    file = read_card_file("out", target.read_bytes())
    assert json.loads(file.texts[0]) == card
    if kind is CardKind.PNG:
        assert file.picture == png()


def test_a_png_of_version_three_holds_both_cards(tmp_path: Path) -> None:
    import_card(text(v3()), "a.json", tmp_path)
    export_persona(tmp_path, "mirela", tmp_path / "out.png")
    cards = read_card_file("out", (tmp_path / "out.png").read_bytes()).texts
    assert [json.loads(card)["spec"] for card in cards] == ["chara_card_v3", "chara_card_v2"]


def test_a_charx_comes_back_with_all_its_files(tmp_path: Path) -> None:
    icon = {"type": "icon", "uri": "embeded://assets/a.png", "name": "main", "ext": "png"}
    file = charx(v3(assets=[icon]), assets__a_dot_png=png(), module_dot_risum=b"\1\2")
    import_card(file, "a.charx", tmp_path)
    export_persona(tmp_path, "mirela", tmp_path / "out.charx")
    before = read_card_file("a", file)
    after = read_card_file("b", (tmp_path / "out.charx").read_bytes())
    assert json.loads(after.texts[0]) == json.loads(before.texts[0])
    assert after.assets == before.assets


def test_files_that_do_not_fit_into_a_png_are_told(tmp_path: Path) -> None:
    import_card(charx(v3(), module_dot_risum=b"\1"), "a.charx", tmp_path)
    exported = export_persona(tmp_path, "mirela", tmp_path / "out.png")
    assert "stay out of a PNG" in exported.warnings[0]


def test_the_picture_of_a_card_goes_into_a_charx(tmp_path: Path) -> None:
    import_card(png(t_ext(b"ccv3", v3())), "a.png", tmp_path)
    export_persona(tmp_path, "mirela", tmp_path / "out.charx")
    again = tmp_path / "again"
    again.mkdir()
    import_card_file(tmp_path / "out.charx", again)
    assert (again / "mirela.png").exists()


def test_a_hand_written_persona_can_be_exported_and_comes_back_equal(tmp_path: Path) -> None:
    shipped, _ = read_personas(Path(__file__).parent.parent.parent / "personas")
    assert shipped
    for key, persona in shipped.items():
        file = export_card(persona, version=3, kind=CardKind.PNG)
        import_card(file, f"{key}.png", tmp_path, key=key)
    personas, problems = read_personas(tmp_path)
    assert problems == []
    for key, persona in shipped.items():
        assert personas[key].model_copy(update={"avatar": persona.avatar}) == persona


def test_an_export_overwrites_nothing_unasked(tmp_path: Path) -> None:
    import_card(text(v2()), "a.json", tmp_path)
    target = tmp_path / "out.json"
    target.write_text("mine", encoding="utf-8")
    with pytest.raises(PersonaError, match="exists already"):
        export_persona(tmp_path, "mirela", target)
    assert target.read_text(encoding="utf-8") == "mine"
    export_persona(tmp_path, "mirela", target, overwrite=True)
    assert json.loads(target.read_text(encoding="utf-8"))["data"]["name"] == "Mirela"


@pytest.mark.parametrize(
    ("key", "target", "version", "reason"),
    [
        ("mirela", "out.webp", 3, "end the name with"),
        ("mirela", "out.charx", 2, "V3 cards only"),
        ("mirela", "out.json", 4, "no version 4"),
        ("nobody", "out.json", 3, "no persona 'nobody'"),
        ("../mirela", "out.json", 3, "cannot be a persona's key"),
        ("mirela", "no/where.json", 3, "cannot be written"),
    ],
)
def test_an_export_that_cannot_be_is_told(
    tmp_path: Path, key: str, target: str, version: int, reason: str
) -> None:
    import_card(text(v2()), "a.json", tmp_path)
    with pytest.raises(PersonaError, match=reason):
        export_persona(tmp_path, key, tmp_path / target, version=version)
    assert [path.name for path in tmp_path.iterdir()] == ["mirela.card.json"]


def test_a_stored_card_must_not_name_other_files(tmp_path: Path) -> None:
    for number, avatar in enumerate(["../../etc/passwd", "/etc/passwd", "file:///x", "senga.toml"]):
        own: JsonObject = {"bower": {"avatar": avatar}}
        import_card(text(v2(extensions=own)), "a.json", tmp_path, key=f"a{number}")
    personas, _ = read_personas(tmp_path)
    assert [persona.avatar for persona in personas.values()] == [""] * 4


def test_a_card_that_is_not_in_base64_is_told(tmp_path: Path) -> None:
    with pytest.raises(PersonaError, match=r"chunk chara\) is not in base64"):
        import_card(png(chunk(b"tEXt", b"chara\0what is this? no card!")), "a.png", tmp_path)
