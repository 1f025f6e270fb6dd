"""The personas that come with Bower: whole, true to their own lives, and in their language."""

import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

import pytest

from bot.emotion import DIMENSIONS
from bot.persona import Persona, RecallMode, read_when
from bot.persona_folder import read_personas
from bot.prompt import MEMORY_TOKENS
from bot.text import tokens

FOLDER = Path(__file__).parent.parent / "personas"
PERSONAS, PROBLEMS = read_personas(FOLDER)

PROFILE_TOKENS = 710  # small models read the profile too
REPLY_CHARACTERS = 320  # a chat message, not a letter
LAST_DATE = "2026-06-30"


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """What the file says about birth and about who came when, to hold memories against."""

    born: str
    written: str  # the birth as the description tells it
    since: dict[str, str] = field(default_factory=dict)  # nobody is there before
    until: dict[str, str] = field(default_factory=dict)  # and these are not there after


LIVES = {
    "senga": Life(
        born="1964-03-03",
        written="3 March 1964",
        since={
            "Doug Lennie": "1980",
            "Kirsty": "1991-01",
            "Mr Gauld": "2006",
            "Bilge": "2017-10",
            "Henrik": "2018",
            "Eirik": "2020-05",
            "Callum": "2024",
        },
        until={"Alec Pirie": "1998-12", "Jean Pirie": "2021-12", "Ronnie Mair": "2025-12"},
    ),
    "anselm": Life(
        born="1992-10-14",
        written="14 October 1992",
        since={
            "Charisse": "1996",
            "Farida Haidari": "2015-05",
            "Gord Thiessen": "2015-05",
            "Doreen Kowalchuk": "2016-12-24",
            "Quoc": "2018",
            "Inspector": "2021-03",
        },
        until={"Doreen Kowalchuk": "2023-12"},
    ),
    "tencha": Life(
        born="1953-01-11",
        written="11 de enero de 1953",
        since={
            "Ramón": "1975-09",
            "Abel": "1978-04",
            "doña Chole": "1994-03",
            "Efraín": "1994-03",
            "Itzel": "2004-02",
            "Coma": "2016-08",
            "Yadira": "2025-11",
        },
        until={"don Aurelio": "1988-12", "Delfina": "1994-12"},
    ),
    "lidong": Life(
        born="1979-11-08",
        written="一九七九年十一月八日",
        since={
            "立春": "1983-02",
            "阿黑": "1988",
            "老毛": "2000",
            "马奶奶": "2001-07",
            "马小龙": "2001-07",
            "雪琴": "2002-03",
            "小满": "2005-05-21",
            "黄豆": "2009",
            "黑豆": "2023-03",
        },
        until={"阿黑": "2000-12", "柴金生": "2016-12", "马奶奶": "2019-12", "黄豆": "2022-12"},
    ),
}

FUNCTION_WORDS = {
    "en": {"the", "a", "an", "and", "of", "to", "i", "you", "it", "is", "in", "my", "that", "me"},
    "es": {"el", "la", "los", "un", "una", "de", "que", "y", "en", "me", "se", "no", "lo", "al"},
}

ASSISTANT_TALK = re.compile(
    r"as an ai\b|\blanguage model|\bassistant\b|\bchatbot|i'm here to help|happy to help"
    r"|modelo de lenguaje|\basistente\b|como ia\b|inteligencia artificial"
    r"|语言模型|助手|人工智能|机器人|很高兴为您",
    re.IGNORECASE,
)
PROGRAM = re.compile(r"\bprogram\b|\bprograma\b|程序")
CJK = re.compile("[\u3007\u4e00-\u9fff]")
HALF_WIDTH = re.compile("[\u3007\u4e00-\u9fff][,;:?!]|[,;:?!][\u3007\u4e00-\u9fff]")

every_persona = pytest.mark.parametrize("persona", PERSONAS.values(), ids=list(PERSONAS))


def _said(persona: Persona) -> list[str]:
    """All that the persona itself says."""
    return [
        *persona.greetings,
        *persona.group_greetings,
        *persona.apologies,
        *persona.deflections,
        *(example.reply for example in persona.examples),
        *(memory.text for memory in persona.memories),
    ]


def _profile(persona: Persona) -> str:
    return "\n\n".join((persona.description, persona.personality, persona.voice, persona.scenario))


def _told(persona: Persona) -> str:
    """Where people are introduced: the profile and the lore."""
    return "\n".join((_profile(persona), *(entry.text for entry in persona.lore)))


def _truthful(persona: Persona) -> list[str]:
    return [e.reply for e in persona.examples if "/about" in e.reply]


def _mentions(name: str, text: str) -> bool:
    """Whether a text says a name; Chinese has no spaces around words."""
    if CJK.search(name):
        return name in text
    first = name.split(maxsplit=1)[0]
    wanted = name if first in {"don", "doña", "Mr", "Aunt"} else first
    return re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", text) is not None


def test_all_personas_load_and_every_one_has_a_life_to_check() -> None:
    assert PROBLEMS == []
    assert PERSONAS.keys() == LIVES.keys()


def test_the_personas_speak_three_languages_and_show_both_ways_to_recall() -> None:
    assert Counter(p.language for p in PERSONAS.values()) == {"en": 2, "es": 1, "zh": 1}
    assert {p.recall_mode for p in PERSONAS.values()} == {RecallMode.MATCH, RecallMode.REGULATE}


@every_persona
def test_nothing_that_an_author_may_fill_in_is_missing(persona: Persona) -> None:
    assert len(persona.greetings) >= 3
    assert len(persona.group_greetings) >= 2
    assert len(persona.apologies) >= 3
    assert len(persona.deflections) >= 3
    assert len(persona.examples) >= 5
    assert len(persona.lore) >= 8
    assert len(persona.scene) >= 3
    assert persona.temperament.keys() == set(DIMENSIONS)
    assert persona.personality
    assert persona.voice
    assert persona.scenario
    assert persona.knows
    assert persona.does_not_know
    assert persona.time_zone != "UTC"


@every_persona
def test_the_profile_is_short_enough_for_a_small_model(persona: Persona) -> None:
    assert 400 < tokens(_profile(persona)) <= PROFILE_TOKENS


@every_persona
def test_what_the_persona_says_is_as_long_as_a_chat_message(persona: Persona) -> None:
    spoken = _said(persona)[: -len(persona.memories)]
    assert max(map(len, spoken)) <= REPLY_CHARACTERS
    assert max(tokens(memory.text) for memory in persona.memories) <= MEMORY_TOKENS


@every_persona
def test_no_line_is_written_twice(persona: Persona) -> None:
    texts = _said(persona)
    assert len(set(texts)) == len(texts)
    assert len(persona.memories) >= 40


@every_persona
def test_memories_begin_in_different_ways(persona: Persona) -> None:
    size = 2 if persona.language == "zh" else None
    openings = Counter((m.text[:size] if size else m.text.split()[0]) for m in persona.memories)
    assert openings.most_common(1)[0][1] <= len(persona.memories) // 6


@every_persona
def test_memories_lie_within_the_life_and_in_order(persona: Persona) -> None:
    life = LIVES[persona.key]
    dates = [memory.at for memory in persona.memories]
    assert life.written in persona.description
    assert all(read_when(life.born)[0] < date <= read_when(LAST_DATE)[0] for date in dates)
    assert dates == sorted(dates)
    assert max(dates) > datetime(2026, 1, 1, tzinfo=UTC)


@every_persona
def test_nobody_is_there_before_they_came_or_long_after_they_left(persona: Persona) -> None:
    life = LIVES[persona.key]
    named = set(chain.from_iterable(memory.people for memory in persona.memories))
    assert life.since.keys() | life.until.keys() <= named, "the table names somebody unknown"
    for memory in persona.memories:
        for name in memory.people:
            if name in life.since:
                assert memory.at >= read_when(life.since[name])[0], (memory.when, name)
            if name in life.until:
                assert memory.at <= read_when(life.until[name])[0], (memory.when, name)


@every_persona
def test_everyone_in_a_memory_is_introduced_in_profile_or_lore(persona: Persona) -> None:
    named = set(chain.from_iterable(memory.people for memory in persona.memories))
    assert [name for name in sorted(named) if not _mentions(name, _told(persona))] == []


@every_persona
def test_who_is_named_in_a_memory_is_in_its_list_of_people(persona: Persona) -> None:
    named = set(chain.from_iterable(memory.people for memory in persona.memories))
    missing = [
        (memory.when, name)
        for memory in persona.memories
        for name in sorted(named)
        if _mentions(name, memory.text) and name not in memory.people
    ]
    assert missing == []


@every_persona
def test_every_feeling_has_four_memories_or_more(persona: Persona) -> None:
    """The files note the main feeling of each memory beside its heading."""
    raw = (FOLDER / f"{persona.key}.toml").read_text(encoding="utf-8")
    feelings = Counter(re.findall(r"^\[\[memories\]\] # (\w+)$", raw, re.MULTILINE))
    assert feelings.keys() == set(DIMENSIONS)
    assert feelings.total() == len(persona.memories)
    assert min(feelings.values()) >= 4


@every_persona
def test_decisive_and_trivial_memories_are_mixed(persona: Persona) -> None:
    weights = [memory.importance for memory in persona.memories]
    assert sum(weight >= 0.9 for weight in weights) in range(3, 13)
    assert sum(weight <= 0.4 for weight in weights) >= 5


@every_persona
def test_everything_is_in_the_language_of_the_persona(persona: Persona) -> None:
    profile = (persona.description, persona.personality, persona.voice, persona.scenario)
    for text in (*profile, *_said(persona), *(entry.text for entry in persona.lore)):
        if persona.language == "zh":
            letters = [c for c in text.replace("/about", "") if c.isalpha()]
            assert sum(bool(CJK.match(c)) for c in letters) == len(letters), text
            assert not HALF_WIDTH.search(text), text
            continue
        assert not CJK.search(text), text
        words = re.findall(r"\w+", text.casefold())
        own = FUNCTION_WORDS[persona.language]
        others = set().union(*FUNCTION_WORDS.values()) - own
        score = sum(word in own for word in words) - sum(word in others for word in words)
        assert score > 0 or len(words) < 12, text


@every_persona
def test_no_persona_talks_like_an_assistant(persona: Persona) -> None:
    sincere = _truthful(persona)
    texts = [text for text in _said(persona) if text not in sincere]
    texts += [_told(persona), *persona.knows, *persona.does_not_know]
    assert [text for text in texts if ASSISTANT_TALK.search(text)] == []


@every_persona
def test_asked_sincerely_it_says_that_it_is_a_program(persona: Persona) -> None:
    (reply,) = _truthful(persona)
    assert PROGRAM.search(reply)


@every_persona
def test_an_apology_asks_to_be_asked_again(persona: Persona) -> None:
    again = re.compile(r"again|come back|try me|repit|otra vez|vuélvam|de nuevo|再")
    assert [a for a in persona.apologies if not again.search(a.casefold())] == []
