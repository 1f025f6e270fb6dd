"""What is read from talk without a model: who answers whom, relation words, narration."""

from datetime import timedelta

import pytest

from bot.memory import Event, EventKind
from bot.stream.exchanges import Pairing, answered
from bot.stream.relations import relations_said
from bot.stream.scenes import SceneItem, for_how_long, narrated_changes, read_scene, scene_note
from bot.world import Agent, AgentKind
from tests.fakes import NOON

PEOPLE = {"Ana": 1, "Ben": 2, "Cleo": 3}


def line(number: int, name: str, text: str, *, minutes: float = 0) -> Event:
    kind = AgentKind.PERSONA if name == "Ida" else AgentKind.PERSON
    return Event(
        id=number,
        kind=EventKind.REPLY if name == "Ida" else EventKind.MESSAGE,
        at=NOON + timedelta(minutes=minutes or number),
        place_id=1,
        place_name="kitchen",
        speaker=Agent(id=PEOPLE.get(name, 9), kind=kind, name=name),
        speaker_name=name,
        text=text,
    )


def talk(*lines: tuple[str, str]) -> list[Event]:
    return [line(number, name, text) for number, (name, text) in enumerate(lines, start=1)]


def ids(pairing: Pairing | None) -> tuple[list[int], list[int]] | None:
    if pairing is None:
        return None
    return [e.id for e in pairing.said], [e.id for e in pairing.answer]


def test_whoever_speaks_next_answers() -> None:
    lines = talk(("Ana", "look"), ("Ana", "snow"), ("Ben", "oh"), ("Ben", "nice"))
    assert ids(answered(lines, {})) == ([1, 2], [3, 4])


def test_a_reply_reaches_past_others() -> None:
    lines = talk(("Ana", "look, snow"), ("Cleo", "who took my cup"), ("Ben", "lovely"))
    assert ids(answered(lines, {3: frozenset({1})})) == ([1], [3])
    assert ids(answered(lines, {})) == ([2], [3])


def test_a_name_says_who_is_answered() -> None:
    lines = talk(("Ana", "look, snow"), ("Cleo", "who took my cup"), ("Ben", "lovely, Ana"))
    assert ids(answered(lines, {})) == ([1], [3])


def test_what_is_said_to_a_persona_answers_no_person() -> None:
    lines = talk(("Ana", "look, snow"), ("Ben", "Ida, how are you"))
    assert answered(lines, {2: frozenset({9})}) is None
    assert answered(talk(("Ana", "hi Ida"), ("Ida", "hello"), ("Ben", "evening")), {}) is None


def test_a_line_aimed_at_somebody_else_is_not_taken_for_the_start() -> None:
    lines = talk(("Ana", "Cleo, look"), ("Ben", "I am hungry"))
    assert answered(lines, {1: frozenset({3})}) is None


def test_hours_later_nobody_answers_unless_they_say_so() -> None:
    late = [line(1, "Ana", "look, snow"), line(2, "Ben", "morning all", minutes=300)]
    assert answered(late, {}) is None
    assert ids(answered(late, {2: frozenset({1})})) == ([1], [2])


def test_a_persona_alone_or_nothing_answers_nothing() -> None:
    assert answered([], {}) is None
    assert answered(talk(("Ana", "look"), ("Ida", "yes")), {}) is None
    assert answered(talk(("Ana", "look")), {}) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("this is my sister Ana", [("sister", "Ana")]),
        ("My best friend Ben is here", [("friend", "Ben")]),
        ("Ben is my older brother.", [("brother", "Ben")]),
        ("you are my best friend!", [("friend", "")]),
        ("eres mi mejor amigo", [("friend", "")]),
        ("mi hermana Lucía vive aquí", [("sister", "Lucía")]),
        ("du bist mein Freund", [("friend", "")]),
        ("你是我最好的朋友", [("friend", "")]),
        ("我姐姐小红来了", [("sister", "小红")]),
        ("小红是我的同事", [("colleague", "小红")]),
        ("my mother Maria and my dad Joe", [("mother", "Maria"), ("father", "Joe")]),
        ("Is Ben my brother?", []),
        ("You are not my friend.", []),
        ("Ben was my boss", []),
        ("I wish you were my friend", []),
        ("my sister is here", []),
        ("Ben is her brother", []),
    ],
)
def test_relation_words_count_only_where_the_speaker_states_them(
    text: str, found: list[tuple[str, str]]
) -> None:
    assert [(r.word, r.name) for r in relations_said(text, ["小红"])] == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("*lights the fire*", {"fire": "burning"}),
        ("she closed the window", {"window": "closed"}),
        ("I closed the chest", {"chest": "closed"}),
        ("*blows the candle out and opens the old oak door slowly*",
         {"candle": "out", "old oak door": "open"}),
        ("She turned the lamp off. The chest went out.", {"lamp": "off", "chest": "out"}),
        ("*puts out the fire* hello *locks the door behind her*",
         {"fire": "out", "door": "locked"}),
        ("*enciende la lámpara*", {"lámpara": "encendida"}),
        ("ella cerró las ventanas", {"ventanas": "cerradas"}),
        ("*点燃了炉火*", {"炉火": "点着"}),
        ("（她关上了窗户）", {"窗户": "关着"}),
        ("（把灯打开）", {"灯": "开着"}),
        ("I closed the window", {}),
        ("could you open the window?", {}),
        ("*doesn't open the door*", {}),
        ("please close the door", {}),
        ("I opened an account yesterday", {}),
        ("he broke the world record", {}),
        ("请把门打开", {}),
    ],
)  # fmt: skip
def test_narration_changes_things_talk_does_not(text: str, found: dict[str, str]) -> None:
    assert {c.item: c.state for c in narrated_changes(text, ["Chest"])} == found


def test_a_flood_of_narration_changes_few_things() -> None:
    flood = "*" + ", ".join(f"opens the box{n}" for n in range(30)) + "*"
    assert len(narrated_changes(flood, [])) == 4
    assert narrated_changes("*" * 5000 + "_" * 5000, []) == []


def test_a_typed_scene_is_read() -> None:
    scene = read_scene("Fire: burning; window：closed；nothing; lamp:")
    assert [(c.item, c.state) for c in scene] == [
        ("Fire", "burning"), ("window", "closed"), ("lamp", ""),
    ]  # fmt: skip


def test_the_prompt_says_what_is_there_and_for_how_long() -> None:
    fire = SceneItem(item="fire", state="burning", since=NOON - timedelta(minutes=21))
    note = scene_note("kitchen", [fire], NOON)
    assert "kitchen" in note
    assert "- fire: burning, for about 20 minutes" in note
    assert scene_note("kitchen", [], NOON) == ""


@pytest.mark.parametrize(
    ("minutes", "words"),
    [(0, "since a moment ago"), (7, "for about 7 minutes"), (61, "for about 60 minutes"),
     (200, "for about 3 hours"), (60 * 72, "for 3 days"), (60 * 24 * 90, "for a long time")],
)  # fmt: skip
def test_spans_are_told_as_people_tell_them(minutes: int, words: str) -> None:
    assert for_how_long(timedelta(minutes=minutes)) == words
