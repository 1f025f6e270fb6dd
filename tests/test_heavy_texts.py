"""What a member can type, and a model can answer, never keeps the event loop: no pattern takes a
time that grows with the square of a text. Shapes that once did are among these."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

import pytest

from bot.called import called_together
from bot.guard import Rules, problem_with, without_repetition
from bot.json_reading import read_json
from bot.names.said import names_said, to_look_up
from bot.recall.contrast import contrast
from bot.recall.times import spans
from bot.reply import clean_reply, showable, unlabelled
from bot.safety import is_crisis
from bot.sincerity import asks_in_earnest
from bot.stream.corrections import corrected_matters, matters
from bot.stream.news import news_in
from bot.stream.relations import relations_said
from bot.stream.scenes import narrated_changes, read_scene
from bot.stream.stances import read_stance
from bot.thoughts import without_thoughts
from tests.fakes import a_persona

NOW: Final = datetime(2026, 3, 1, tzinfo=UTC)
LENGTH: Final = 4_000
RULES: Final = Rules(
    instructions=["You keep the lamp."], language="en", heard="hi", in_earnest=True
)
PRESENT: Final = [a_persona(), a_persona("ben", "Ben")]

SEEDS: Final = (
    " ", ", ", "a, ", "so, ", "A ", "Ab ", "Ben ", "Ben, ", "Ben: ", "\nBen: ", "my brother ",
    "not the ", "before ", "called ", "the other ", "*", "* ", "_", "'", '"', "“a” ", "> ", "\n",
    "  \n", "a\n", ". ", "?", "!", "(", "\uff08", "把", "他", "1 ", "in 20", "last week ", "{",
    "{{", "<", "<think>", "`", "|", "a'", "a-", "😀", "\u200b", "é", "İ", "I am ", "I live in ",
    "http://a.",
)  # fmt: skip


def _shapes(seed: str) -> list[str]:
    text = (seed * (LENGTH // len(seed) + 1))[:LENGTH]
    return [text, f", {text}x.", f"x{text}?", f"my brother Alex{text}", f"Ben,{text}Ben"]


def _read(text: str) -> object:
    try:
        return read_json(text)
    except ValueError:
        return None


READERS: Final[dict[str, Callable[[str], object]]] = {
    "news": lambda t: news_in(t, ["Ben", "Ida"]),
    "stance": lambda t: read_stance(
        t, statement="Ben moved", restates=True, called=frozenset({"ben"})
    ),
    "names": lambda t: names_said(t, {"ben", "alex"}),
    "names to look up": to_look_up,
    "relations": lambda t: relations_said(t, ["Ben"]),
    "scene": lambda t: narrated_changes(t, ["fire"]),
    "typed scene": read_scene,
    "crisis": is_crisis,
    "times": lambda t: spans(t, NOW),
    "contrast": contrast,
    "earnest": asks_in_earnest,
    "matters": lambda t: (matters(t), corrected_matters(t)),
    "called": lambda t: called_together(t, PRESENT),
    "guard": lambda t: (problem_with(t, RULES), without_repetition(t)),
    "reply": lambda t: (clean_reply(t, "Ida", ["Ben"]), unlabelled(t, "Ida", ["Ben"])),
    "growing reply": lambda t: showable(t, "Ida", ["Ben"]),
    "thoughts": without_thoughts,
    "json": lambda t: (_read(t), _read("{" + t), _read('{"a": "' + t)),
}


@pytest.mark.timeout(40)  # the worst of them takes 5 s here; with one square, minutes
@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_no_text_keeps_a_reader_busy(reader: Callable[[str], object]) -> None:
    for seed in SEEDS:
        for text in _shapes(seed):
            reader(text)
