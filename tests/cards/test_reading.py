"""What stands wrong in cards, and how it is read all the same."""

import json

import pytest

from bot.cards.convert import persona_from_card
from bot.cards.model import Card, as_read
from bot.cards.reading import MOST_DEPTH, read_card
from bot.errors import PersonaError
from tests.cards.makers import book, data, entry, text, v2, v3


def warned(card: object) -> tuple[Card, str]:
    read, warnings = read_card(text(card))
    return read, " ".join(warnings)


@pytest.mark.parametrize("card", [v2(), v3(), v2(character_book=book(entry()))])
def test_a_sound_card_is_read_without_a_word(card: object) -> None:
    read, warnings = warned(card)
    assert warnings == ""
    assert as_read(read) == card


def test_a_null_book_is_no_book() -> None:
    read, warnings = warned(v2(character_book=None))
    assert read.data.character_book is None
    assert "character_book" not in as_read(read)["data"]  # type: ignore[operator]
    assert "null" in warnings


def test_nulls_are_read_as_absent() -> None:
    read, _ = warned(v2(creator_notes=None, tags=None, extensions=None, nickname=None))
    assert (read.data.creator_notes, read.data.tags, read.data.extensions) == ("", [], {})


def test_greetings_written_as_one_text_are_one_greeting() -> None:
    read, warnings = warned(v2(alternate_greetings="You again."))
    assert read.data.alternate_greetings == ["You again."]
    assert "alternate_greetings is one text" in warnings


def test_greetings_that_are_a_bare_number_are_none() -> None:
    assert warned(v2(alternate_greetings="1687194031049"))[0].data.alternate_greetings == []


def test_greetings_in_an_object_are_its_values() -> None:
    read, _ = warned(v2(alternate_greetings={"0": "One.", "1": "Two."}))
    assert read.data.alternate_greetings == ["One.", "Two."]


def test_what_is_no_text_among_greetings_is_left_out_with_a_warning() -> None:
    read, warnings = warned(v2(alternate_greetings=["One.", None, {"x": 1}]))
    assert read.data.alternate_greetings == ["One."]
    assert "left out" in warnings


def test_tags_with_commas_become_a_list() -> None:
    assert warned(v2(tags="calm, rain"))[0].data.tags == ["calm", "rain"]


def test_a_book_beside_the_character_is_moved_into_it() -> None:
    read, warnings = warned({**v2(), "character_book": book(entry())})
    assert read.data.character_book is not None
    assert read.data.character_book.entries[0].keys == ["depot"]
    assert "character_book" not in (read.model_extra or {})
    assert "moved" in warnings


def test_fields_of_v1_beside_the_character_stay_where_they_are() -> None:
    card = {**v2(), "name": "Mirela", "avatar": "none", "fav": True, "talkativeness": "0.5"}
    assert as_read(warned(card)[0]) == card


@pytest.mark.parametrize(
    "entries", [{"0": entry(), "7": entry()}, [entry(), None, entry(), "noise"]]
)
def test_entries_are_found_in_an_object_and_among_noise(entries: object) -> None:
    read, _ = warned(v2(character_book={"entries": entries}))
    assert read.data.character_book is not None
    assert len(read.data.character_book.entries) == 2


def test_a_book_that_is_a_list_is_the_list_of_its_entries() -> None:
    read, warnings = warned(v2(character_book=[entry()]))
    assert read.data.character_book is not None
    assert len(read.data.character_book.entries) == 1
    assert "list" in warnings


def test_entries_of_a_world_file_are_translated() -> None:
    world = {
        "key": ["bell"],
        "keysecondary": ["night"],
        "content": "It rings.",
        "disable": False,
        "order": 7,
        "position": 4,
        "depth": 2,
        "selectiveLogic": 3,
        "uid": 9,
    }
    read, _ = warned(v2(character_book={"entries": {"9": world}}))
    assert read.data.character_book is not None
    (only,) = read.data.character_book.entries
    assert (only.keys, only.secondary_keys, only.enabled) == (["bell"], ["night"], True)
    assert (only.insertion_order, only.position) == (7, "after_char")
    assert only.extensions == {"selectiveLogic": 3, "depth": 2, "position": 4}
    assert only.model_extra == {"uid": 9}


@pytest.mark.parametrize(("position", "read_as"), [(0, "before_char"), (1, "after_char")])
def test_a_position_in_numbers_is_read(position: int, read_as: str) -> None:
    read, _ = warned(v2(character_book=book(entry(position=position))))
    assert read.data.character_book is not None
    assert read.data.character_book.entries[0].position == read_as


@pytest.mark.parametrize("position", ["", None, "outer space"])
def test_an_unknown_position_is_left_out(position: object) -> None:
    read, _ = warned(v2(character_book=book(entry(position=position))))
    assert read.data.character_book is not None
    assert read.data.character_book.entries[0].position == ""


def test_numbers_and_flags_in_words_are_read() -> None:
    odd = entry(insertion_order="20", enabled="false", constant=1, priority="", selective="yes")
    read, _ = warned(v2(character_book=book(odd, scan_depth="3", recursive_scanning="true")))
    kept = read.data.character_book
    assert kept is not None
    assert (kept.scan_depth, kept.recursive_scanning) == (3, True)
    (only,) = kept.entries
    assert (only.insertion_order, only.enabled, only.constant) == (20, False, True)
    assert (only.priority, only.selective) == (None, True)


def test_what_is_no_number_is_left_out_with_a_warning() -> None:
    read, warnings = warned(v2(character_book=book(entry(priority="high"))))
    assert read.data.character_book is not None
    assert read.data.character_book.entries[0].priority is None
    assert "priority is no number" in warnings


def test_a_flat_card_of_v1_is_read() -> None:
    flat = {"name": "Old", "description": "d", "first_mes": "Hi.", "chat": "x"}
    read, warnings = warned(flat)
    assert (read.data.name, read.data.first_mes, read.spec) == ("Old", "Hi.", "chara_card_v2")
    assert read.model_extra == {"chat": "x"}
    assert "older" in warnings


def test_names_of_fields_from_before_v1_are_known() -> None:
    read, _ = warned({"char_name": "Older", "char_persona": "p", "char_greeting": "Hey."})
    assert (read.data.name, read.data.description, read.data.first_mes) == ("Older", "p", "Hey.")


def test_a_card_without_a_version_is_read_by_what_it_holds() -> None:
    assert warned({"data": data()})[0].spec == "chara_card_v2"
    assert warned({"data": data(nickname="Mi")})[0].spec == "chara_card_v3"


@pytest.mark.parametrize("spec", ["chara_card_v9", 3, ["chara_card_v3"], {"a": 1}])
def test_an_odd_version_is_told(spec: object) -> None:
    assert "unknown" in warned({**v2(), "spec": spec})[1]


def test_a_newer_version_is_told() -> None:
    assert "3.1" in warned({**v3(), "spec_version": "3.1"})[1]


def test_numbers_json_does_not_have_are_left_out() -> None:
    raw = text(v2(extensions={"a": 1})).replace(b'"a": 1', b'"a": NaN, "b": 1e999, "c": -Infinity')
    read, warnings = read_card(raw)
    assert read.data.extensions == {"a": None, "b": None, "c": None}
    assert warnings


def test_half_a_surrogate_is_replaced() -> None:
    raw = json.dumps(v2(description="x")).replace('"x"', '"a\\ud83d b"').encode()
    assert read_card(raw)[0].data.description == "a\ufffd b"


def test_pairs_of_surrogates_stay_the_sign_they_are() -> None:
    raw = json.dumps(v2(description="🦊"), ensure_ascii=True).encode()
    assert read_card(raw)[0].data.description == "🦊"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_every_encoding_of_json_is_read(encoding: str) -> None:
    raw = json.dumps(v2(name="Ægir"), ensure_ascii=False).encode(encoding)
    assert read_card(raw)[0].data.name == "Ægir"


def test_line_ends_inside_of_texts_are_read() -> None:
    raw = text(v2(description="x")).replace(b'"x"', b'"a\nb"')
    assert read_card(raw)[0].data.description == "a\nb"


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", "not valid JSON"),
        (b"{", "line 1, column 2"),
        (b"[]", "no character card"),
        (b"17", "no character card"),
        (b'{"a": 1}', "a name and a description"),
        (b'{"data": "text"}', "a name and a description"),
        (b'{"spec": "lorebook_v3", "data": {"entries": []}}', "lorebook"),
        (b'{"entries": {"0": {"key": ["a"]}}}', "lorebook"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"data":' + b"[" * 100 + b"]" * 100 + b"}", f"deeper than {MOST_DEPTH}"),
        (b"[" + b"0," * 500_001 + b"0]", "values"),
        (b"9" * 5_000, "a number that is none"),
        (b" " * 16_000_001, "16 MB"),
    ],
)
def test_what_is_no_card_is_refused_with_one_sentence(raw: bytes, reason: str) -> None:
    with pytest.raises(PersonaError, match=reason) as caught:
        read_card(raw, source="odd.json")
    assert str(caught.value).startswith("odd.json: ")
    assert len(str(caught.value)) < 200


def test_warnings_are_counted_once_they_are_many() -> None:
    odd = [entry(position=f"place {number}") for number in range(100)]
    _, warnings = read_card(text(v2(character_book=book(*odd))))
    assert len(warnings) == 31
    assert warnings[-1] == "70 more things were mended."


def test_a_card_in_latin_1_keeps_its_accents_and_says_so() -> None:
    raw = json.dumps(v2(description="Señora Muñoz"), ensure_ascii=False).encode("latin-1")
    card, warnings = read_card(raw)
    assert card.data.description == "Señora Muñoz"
    assert any("Windows-1252" in said for said in warnings)


def test_a_left_out_field_of_ours_says_why() -> None:
    card, _ = read_card(text(v2(extensions={"bower": {"time_zone": "Mars"}})))
    _, warnings = persona_from_card(card, "a")
    assert warnings == [
        "extensions.bower.time_zone was left out: 'Mars' is no time zone; "
        "write one like Europe/Lisbon."
    ]
