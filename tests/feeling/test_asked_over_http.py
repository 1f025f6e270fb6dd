"""The LLM scorer before a real endpoint: whatever it answers, every text gets an emotion."""

import json
import re
from pathlib import Path

import pytest

from adapters.emotion.asked import AskedScorer
from adapters.settings import ScoredBy, Settings
from bot.emotion import DIMENSIONS, NEUTRAL, Emotion
from main import open_remembering
from tests.fakes import NOON
from tests.llm_stage import serving
from tests.scripted_answers import Step
from tests.scripted_model import Answer, CutStream, Empty, Failure, Garbage, Request, Think

GLAD = '{"texts": [{"id": 1, "analysis": "glad", "scores": {%s}, "valence": 0.6, "arousal": 0.3}]}'
FULL = GLAD % ", ".join(f'"{d}": {8 if d == "joy" else 1}' for d in DIMENSIONS)

USABLE: dict[str, tuple[Step, float]] = {
    "plain": (Answer(FULL), 8),
    "fenced": (Answer(f"Here you are:\n```json\n{FULL}\n```\nAnything else?"), 8),
    "single quotes": (Answer(FULL.replace('"', "'")), 8),
    "missing dimensions": (Answer(GLAD % '"joy": 8'), 8),
    "extra dimensions": (Answer(GLAD % '"joy": 8, "boredom": 9, "hunger": 3'), 8),
    "eleven": (Answer(GLAD % '"joy": 11, "fear": 0'), 10),
    "ten in letters": (Answer(GLAD % '"joy": "ten", "fear": "one"'), 10),
    "truncated after the scores": (Answer(FULL[: FULL.index('"valence"')], finish="length"), 8),
    "thoughts first": (Think("Glad, is it not?", FULL), 8),
    "thoughts in tags": (Think('{"joy": 2}?', FULL, style="tags"), 8),
    "the paper's form": (Answer('[{"analysis": "glad", "dim": "joy", "score": 8}]'), 8),
}
"""What the endpoint answers, and how much joy is read from it."""

USELESS: dict[str, Step] = {
    "a refusal in words": Answer("I'm sorry, but I can't judge that."),
    "a refusal in its field": Answer("", refusal="I can't help with that."),
    "truncated before the scores": Answer('{"texts": [{"id": 1, "analysis": "gl', finish="length"),
    "nothing": Empty(),
    "an error": Failure(500),
    "no JSON at all": Garbage(b"\xff\xfe\x00 oops"),
    "a line that breaks off": CutStream('{"texts"'),
    "another text's scores": Answer(FULL.replace('"id": 1', '"id": 7')),
}


def joy(emotion: Emotion) -> float:
    return emotion.named()["joy"]


@pytest.mark.parametrize("case", USABLE)
async def test_a_usable_answer_becomes_an_emotion(case: str) -> None:
    step, expected = USABLE[case]
    async with serving([step]) as (_, model):
        scorer = AskedScorer(model)
        (emotion,) = await scorer.score(["I got the job!"])
    assert joy(emotion) == expected
    assert all(score == 1 for name, score in emotion.named().items() if name != "joy")
    assert emotion.valence > 0
    assert scorer.unscored == 0


@pytest.mark.parametrize("case", USELESS)
async def test_a_useless_answer_is_neutral_and_counted(
    case: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with serving([USELESS[case]]) as (_, model):
        scorer = AskedScorer(model)
        assert await scorer.score(["one", "", "two"]) == [NEUTRAL] * 3
    assert scorer.unscored == 2
    assert "2 texts were taken for neutral, 2 since the start" in caplog.text


async def test_one_bad_text_in_a_batch_costs_the_others_nothing() -> None:
    """The whole batch is refused because of one text; alone, the others get their scores."""

    def script(request: Request) -> Step:
        texts = [
            json.loads(line)["text"] for line in re.findall(r"^\{.*\}$", request.last, re.MULTILINE)
        ]
        if "bad" in texts:
            return Answer("I'm sorry, but I can't judge that.")
        items = [{"id": n, "scores": {"joy": len(t)}} for n, t in enumerate(texts, start=1)]
        return Answer(json.dumps({"texts": items}))

    async with serving(script) as (_, model):
        scorer = AskedScorer(model)
        emotions = await scorer.score(["fine", "bad", "splendid", "fine"])
    assert [joy(emotion) for emotion in emotions] == [4, 1, 8, 4]
    assert scorer.unscored == 1


async def test_a_setting_lets_the_model_judge_and_the_books_show_it(tmp_path: Path) -> None:
    async with serving([Answer(FULL)]) as (server, _):
        settings = Settings(
            database=tmp_path / "bower.db",
            openai_base_url=server.url,
            model="scripted",
            emotion_scorer=ScoredBy.MODEL,
        )
        async with open_remembering(settings) as remembering:
            scorer = remembering.senses.scorer
            (emotion,) = await scorer.score(["I got the job!"])
            assert await scorer.score(["I got the job!"]) == [emotion]
            spent = await remembering.storage.figures(None, NOON.replace(year=2000))
    assert joy(emotion) == 8
    assert len(server.requests) == 1
    assert len(spent.calls) == 1
