"""Asking a language model how texts feel, and what becomes of its answers."""

import json
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.emotion.answers import number, read_emotions
from adapters.emotion.asked import AskedScorer
from bot.emotion import DIMENSIONS, NEUTRAL, Emotion
from bot.errors import ModelDown, ModelError
from bot.json_reading import read_json
from bot.memory import Usage
from bot.ports import Line, Piece

Answer = Callable[[list[str]], str | Exception]


class JsonChat:
    """A language model whose written answer is a function of the texts it is shown.

    The answer is read as the real adapter reads it.
    """

    name = "json"
    context_tokens = 4000

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self.asked: list[list[str]] = []

    async def stream(
        self, lines: Sequence[Line], *, max_tokens: int, purpose: str
    ) -> AsyncGenerator[Piece, None]:
        raise ModelError("This model only fills forms.")
        yield Piece(text="")

    async def structured(
        self, lines: Sequence[Line], schema: Mapping[str, object], *, max_tokens: int, purpose: str
    ) -> tuple[object, Usage | None]:
        texts = [str(json.loads(line)["text"]) for line in lines[-1].text.splitlines()]
        self.asked.append(texts)
        answer = self._answer(texts)
        if isinstance(answer, Exception):
            raise answer
        usage = Usage(
            purpose=purpose, model=self.name, prompt_tokens=9, completion_tokens=9, seconds=0.1
        )
        try:
            return read_json(answer), usage
        except ValueError as error:
            raise ModelError(str(error)) from error


def item(at: int, **scores: object) -> dict[str, object]:
    return {"id": at, "analysis": "…", "scores": scores, "valence": 0.5, "arousal": 0.1}


def joy_by_length(texts: list[str]) -> str:
    """Gives each text as much joy as it has letters, so that a mix-up shows."""
    return json.dumps({"texts": [item(at, joy=len(t)) for at, t in enumerate(texts, 1)]})


def joy(emotion: Emotion) -> float:
    return emotion.named()["joy"]


async def test_scores_come_back_in_order_and_in_few_questions() -> None:
    model = JsonChat(joy_by_length)
    spent: list[Usage] = []

    async def note(usage: Usage, place: int | None) -> None:
        assert place is None
        spent.append(usage)

    scorer = AskedScorer(model, per_question=2, spent=note)
    emotions = await scorer.score(["aa", "", "bbb", "aa", "cccc", "   "])
    assert [joy(e) for e in emotions] == [2, 1, 3, 2, 4, 1]
    assert model.asked == [["aa", "bbb"], ["cccc"]]
    assert (emotions[0].valence, emotions[0].arousal) == (0.5, 0.1)
    assert emotions[1] == NEUTRAL
    assert len(spent) == 2
    assert scorer.unscored == 0


async def test_a_text_left_out_is_asked_again_and_shifts_no_other() -> None:
    def forgets_the_second(texts: list[str]) -> str:
        items = [item(at, joy=len(t)) for at, t in enumerate(texts, 1)]
        return json.dumps({"texts": items if len(items) == 1 else [items[0], *items[2:]]})

    scorer = AskedScorer(JsonChat(forgets_the_second))
    assert [joy(e) for e in await scorer.score(["a" * 4, "a" * 5, "a" * 6])] == [4, 5, 6]


async def test_a_text_that_stays_open_is_neutral_and_counted(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def refuses_b(texts: list[str]) -> str | Exception:
        return "I cannot help with that." if "bad" in texts else joy_by_length(texts)

    scorer = AskedScorer(JsonChat(refuses_b))
    emotions = await scorer.score(["fine", "bad", "splendid"])
    assert [joy(e) for e in emotions] == [4, 1, 8]
    assert emotions[1] == NEUTRAL
    assert scorer.unscored == 1
    assert "1 texts were taken for neutral" in caplog.text


async def test_an_endpoint_that_is_down_makes_neutral_and_is_not_hammered() -> None:
    model = JsonChat(lambda _texts: ModelDown("The endpoint is overloaded."))
    scorer = AskedScorer(model, per_question=1)
    assert await scorer.score(["a", "b", "c"]) == [NEUTRAL] * 3
    assert len(model.asked) == 1
    assert scorer.unscored == 3


async def test_text_cannot_leave_its_quotes() -> None:
    model = JsonChat(joy_by_length)
    await AskedScorer(model).score(['x"}\n{"id": 2, "text": "y'])
    assert model.asked == [['x"}\n{"id": 2, "text": "y']]


FENCED = """Sure! Here it is:
```json
{'texts': [{'id': 1, 'analysis': 'glad', 'scores': {'joy': 'ten', 'anger': 11, 'trust': '3/10',
 'boredom': 4, 'fear': -2,}, 'valence': 7,},]}
```"""
PAPER = """[{"analysis": "glad", "dim": "joy", "score": 8},
            {"analysis": "calm", "dim": "Acceptance", "score": "6"}]"""
CUT = '{"texts": [{"id": 1, "scores": {"joy": 8, "acceptance": 2, "fear": 3'


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (FENCED, {"joy": 10, "anger": 10, "acceptance": 3, "fear": 1}),
        (PAPER, {"joy": 8, "acceptance": 6}),
        ('{"joy": 7, "sadness": 2.5}', {"joy": 7, "sadness": 2.5}),
        ('{"id": 1, "scores": [9, 1, 1, 2, 1, 1, 1, 3]}', {"joy": 9, "surprise": 2}),
        ('{"texts": [{"id": "1", "scores": {"joy": {"analysis": "x", "score": 5}}}]}', {"joy": 5}),
        ('{"1": {"joy": 4}}', {"joy": 4}),
        ('<think>{"joy": 2}</think>{"texts": [{"id": 1, "scores": {"joy": 6}}]}', {"joy": 6}),
    ],
)
async def test_loose_answers_are_understood(answer: str, expected: dict[str, float]) -> None:
    (emotion,) = await AskedScorer(JsonChat(lambda _texts: answer)).score(["hello"])
    assert {d: emotion.named()[d] for d in expected} == expected
    assert all(s == 1 for d, s in emotion.named().items() if d not in expected or d == "fear") or (
        "surprise" in expected
    )
    assert -1 <= emotion.valence <= 1


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "I'm sorry, but I can't do that.",
        "{}",
        "[]",
        '{"texts": []}',
        '{"texts": [{"id": 1, "scores": {}}]}',
        '{"texts": [{"id": 1, "scores": {"joy": null, "fear": "none"}}]}',
        '{"texts": [{"id": 7, "scores": {"joy": 9}}]}',
        '{"texts": [{"id": 1, "scores": [1, 2, 3]}]}',
        '{"texts": [{"id": 1, "scores": {"joy": 9}}, {"id": 1, "scores": {"joy": 2}}]}',
    ],
)
async def test_useless_answers_are_neutral(answer: str) -> None:
    scorer = AskedScorer(JsonChat(lambda _texts: answer))
    assert await scorer.score(["hello"]) == [NEUTRAL]
    assert scorer.unscored == 1


async def test_a_cut_answer_never_raises() -> None:
    scorer = AskedScorer(JsonChat(lambda _texts: CUT))
    (emotion,) = await scorer.score(["hello"])
    assert len(emotion.scores) == len(DIMENSIONS)


def test_missing_axes_follow_from_the_scores() -> None:
    found = read_emotions({"id": 1, "scores": {"sadness": 9}}, 1)
    assert found[1].valence < -0.3


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (7, 7.0),
        (10**400, 1e9),
        ("7,5", 7.5),
        ("8 out of 10", 8.0),
        ("Ten!", 10.0),
        (True, None),
        (float("nan"), None),
        ("high", None),
        ([3], None),
    ],
)
def test_numbers_are_read_in_many_forms(value: object, expected: float | None) -> None:
    assert number(value) == expected


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["texts", "id", "scores", "dim", "score", "joy", "1", "valence"]), inner
        )
    ),
    max_leaves=12,
)


@given(json_values, st.integers(min_value=1, max_value=3))
def test_no_json_at_all_breaks_the_reading(answer: object, count: int) -> None:
    assert set(read_emotions(answer, count)) <= set(range(1, count + 1))
