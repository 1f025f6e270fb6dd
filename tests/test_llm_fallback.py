"""Several language models as one."""

import logging
from collections.abc import AsyncGenerator, Mapping, Sequence

import pytest

from adapters.llm import FallbackModel
from bot.errors import ModelDown, ModelError, ModelRefused
from bot.memory import Usage
from bot.ports import Line, Piece
from tests.fakes import FakeClock
from tests.llm_stage import PROMPT, hear, text_of

DOWN = ModelDown("It is down.")
REFUSED = ModelRefused("It refuses.")


class Listed:
    """A model that plays a list: a text, an error, or a text that breaks off with one."""

    def __init__(
        self, name: str, *steps: str | ModelError | tuple[str, ModelError], context: int = 4000
    ) -> None:
        self.name = name
        self.context_tokens = context
        self.asked = 0
        self.ended = 0
        self._steps = steps

    async def stream(
        self, lines: Sequence[Line], *, max_tokens: int, purpose: str
    ) -> AsyncGenerator[Piece, None]:
        step = self._next()
        try:
            if isinstance(step, ModelError):
                raise step
            text, error = step if isinstance(step, tuple) else (step, None)
            for word in text.split():
                yield Piece(text=word)
            if error:
                raise error
        finally:
            self.ended += 1

    async def structured(
        self, lines: Sequence[Line], schema: Mapping[str, object], *, max_tokens: int, purpose: str
    ) -> tuple[object, Usage | None]:
        step = self._next()
        if isinstance(step, ModelError):
            raise step
        return {"by": self.name}, None

    def _next(self) -> str | ModelError | tuple[str, ModelError]:
        self.asked += 1
        return self._steps[min(self.asked, len(self._steps)) - 1]


async def by(model: FallbackModel) -> object:
    value, _ = await model.structured(PROMPT, {}, max_tokens=9, purpose="learn")
    return value


@pytest.mark.parametrize("error", [DOWN, REFUSED])
async def test_the_next_model_answers_when_one_fails(error: ModelError) -> None:
    first, second, third = Listed("a", error), Listed("b", error), Listed("c", "Yes.")
    model = FallbackModel([first, second, third], clock=FakeClock())
    assert await text_of(model) == "Yes."
    assert await by(model) == {"by": "c"}
    assert model.name == "a"


async def test_the_first_model_answers_alone_while_it_can() -> None:
    first, second = Listed("a", "Yes."), Listed("b", "No.")
    model = FallbackModel([first, second], clock=FakeClock())
    assert await text_of(model) == "Yes."
    assert await by(model) == {"by": "a"}
    assert second.asked == 0


async def test_an_answer_that_has_begun_is_not_begun_anew() -> None:
    second = Listed("b", "No.")
    model = FallbackModel([Listed("a", ("Yes, up", DOWN)), second], clock=FakeClock())
    pieces: list[str] = []
    with pytest.raises(ModelDown, match="It is down"):
        await hear(model, pieces)
    assert pieces == ["Yes,", "up"]
    assert second.asked == 0


async def test_an_unusable_answer_is_not_asked_of_another() -> None:
    second = Listed("b", "No.")
    model = FallbackModel([Listed("a", ModelError("No JSON.")), second], clock=FakeClock())
    with pytest.raises(ModelError, match="No JSON"):
        await by(model)
    assert second.asked == 0


@pytest.mark.parametrize(
    ("errors", "raised"),
    [((REFUSED, DOWN), DOWN), ((DOWN, REFUSED), DOWN), ((REFUSED, ModelRefused("x")), REFUSED)],
)
async def test_when_all_fail_the_one_that_may_pass_later_is_told(
    errors: Sequence[ModelError], raised: ModelError
) -> None:
    model = FallbackModel([Listed(str(e), e) for e in errors], clock=FakeClock())
    for call in (text_of(model), by(model)):
        with pytest.raises(ModelError) as error:
            await call
        assert error.value is raised


async def test_a_model_that_is_down_rests_for_a_while() -> None:
    clock = FakeClock()
    first, second = Listed("a", DOWN, "Yes."), Listed("b", "No.")
    model = FallbackModel([first, second], clock=clock)
    assert [await text_of(model) for _ in range(3)] == ["No."] * 3
    assert first.asked == 1
    clock.pass_time(seconds=31)
    assert await text_of(model) == "Yes."
    assert await text_of(model) == "Yes."


async def test_a_model_rests_as_long_as_it_asks_for() -> None:
    clock = FakeClock()
    first = Listed("a", ModelDown("Later.", retry_after=90.0), "Yes.")
    model = FallbackModel([first, Listed("b", "No.")], clock=clock)
    assert await text_of(model) == "No."
    clock.pass_time(seconds=80)
    assert await text_of(model) == "No."
    clock.pass_time(seconds=11)
    assert await text_of(model) == "Yes."


async def test_a_resting_model_is_asked_when_nobody_else_answers() -> None:
    first, second = Listed("a", DOWN, "Yes."), Listed("b", "No.", DOWN)
    model = FallbackModel([first, second], clock=FakeClock())
    assert await text_of(model) == "No."
    assert await text_of(model) == "Yes."


async def test_a_model_that_answers_again_rests_no_longer() -> None:
    clock = FakeClock()
    first = Listed("a", ModelDown("Later.", retry_after=90.0), "Yes.")
    model = FallbackModel([first, Listed("b", "No.", DOWN, "No.")], clock=clock)
    assert await text_of(model) == "No."
    assert await text_of(model) == "Yes."
    clock.pass_time(seconds=31)
    assert await text_of(model) == "Yes."


async def test_an_outage_is_logged_once_and_its_end_too(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    clock = FakeClock()
    model = FallbackModel([Listed("a", DOWN, DOWN, "Yes."), Listed("b", "No.")], clock=clock)
    for _ in range(4):
        await text_of(model)
        clock.pass_time(minutes=1)
    assert [record.getMessage() for record in caplog.records] == [
        "a fails, the next model is asked: It is down.",
        "a answers again.",
    ]


async def test_an_answer_that_nobody_hears_to_its_end_is_ended() -> None:
    first = Listed("a", "one two three")
    pieces = FallbackModel([first], clock=FakeClock()).stream(PROMPT, max_tokens=9, purpose="x")
    assert (await anext(pieces)).text == "one"
    await pieces.aclose()
    assert first.ended == 1


def test_a_prompt_must_fit_whichever_answers() -> None:
    models = [Listed("a", "Yes.", context=9000), Listed("b", "No.", context=2000)]
    assert FallbackModel(models).context_tokens == 2000
    with pytest.raises(ValueError, match="needs a model"):
        FallbackModel([])
