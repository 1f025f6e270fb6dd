"""Answers of a language model: pieces, cost, thoughts, pace, and their early end."""

import asyncio
import time
from contextlib import aclosing

import pytest

from adapters.llm import Patience, Timeouts
from bot.errors import ModelDown, ModelRefused
from bot.ports import Line
from tests.fakes import until
from tests.llm_stage import PROMPT, ask, hear, serving, text_of
from tests.scripted_answers import Step
from tests.scripted_model import (
    Answer,
    CutStream,
    Empty,
    Hang,
    Request,
    Think,
)

SCHEMA = {
    "type": "object",
    "properties": {
        "stance": {"enum": ["support", "deny"]},
        "sure": {"type": "number", "default": 0.5},
    },
}


async def test_an_answer_comes_in_pieces_and_tells_what_it_cost() -> None:
    async with serving([Answer("Yes, up on the stairs.")]) as (server, m):
        pieces = [p async for p in m.stream(PROMPT, max_tokens=64, purpose="answer")]
    assert [piece.text for piece in pieces] == ["Yes,", " up", " on", " the", " stairs.", ""]
    usage = pieces[-1].usage
    assert usage is not None
    assert (usage.purpose, usage.model) == ("answer", "scripted")
    assert (usage.prompt_tokens, usage.completion_tokens) == (7, 5)
    assert 0 <= usage.seconds < 5
    assert server.requests[0].max_tokens == 64
    assert [m["role"] for m in server.requests[0].messages] == ["system", "user"]


async def test_what_an_endpoint_does_not_count_is_guessed_so_that_budgets_hold() -> None:
    answer = "Yes, up on the stairs."
    async with serving([Answer(answer, usage=False)]) as (_server, model):
        text, usage = await ask(model)
    assert text == answer
    assert usage is not None
    assert usage.model == "scripted"
    asked = sum(len(line.text) for line in PROMPT)
    assert asked / 6 < usage.prompt_tokens < asked
    assert len(answer) / 6 < usage.completion_tokens < len(answer)


async def test_an_endpoint_that_does_not_stream_is_understood() -> None:
    async with serving([Answer("Yes.", whole=True)]) as (_server, model):
        text, usage = await ask(model)
    assert text == "Yes."
    assert usage is not None
    assert usage.completion_tokens == 1


@pytest.mark.parametrize("style", ["field", "tags"])
async def test_thoughts_are_left_out(style: str) -> None:
    think = Think("She sounds worried. <3", "Yes, I am.", style=style)
    async with serving([think]) as (_server, model):
        assert await text_of(model) == "Yes, I am."


async def test_thoughts_that_were_never_opened_are_left_out_from_the_second_try_on() -> None:
    think = Think("She sounds worried.", "Yes, I am.", style="unopened")
    async with serving([think]) as (server, model):
        with pytest.raises(ModelDown, match="without marking them"):
            await text_of(model)
        assert await text_of(model) == "Yes, I am."
        server.script = [Answer("No thoughts this time.")]
        assert await text_of(model) == "No thoughts this time."


async def test_a_structured_answer_is_asked_again_at_once_after_unmarked_thoughts() -> None:
    think = Think("So {", '{"sure": 1}', style="unopened")
    async with serving([think]) as (server, model):
        value, _ = await model.structured(PROMPT, SCHEMA, max_tokens=64, purpose="learn")
    assert value == {"sure": 1}
    assert len(server.requests) == 2


@pytest.mark.parametrize("thoughts", [Answer("<think>I never stop"), Think("Hm.", ""), Empty()])
async def test_an_empty_answer_is_asked_for_once_more(thoughts: Answer | Think | Empty) -> None:
    async with serving([thoughts, Answer("Yes.")]) as (server, model):
        assert await text_of(model) == "Yes."
    async with serving([thoughts]) as (server, model):
        with pytest.raises(ModelDown, match="gave an empty answer"):
            await text_of(model)
    assert len(server.requests) == 2


async def test_what_an_empty_answer_cost_is_not_forgotten() -> None:
    steps = [Answer("<think>one two"), Answer("Yes.")]
    async with serving(steps) as (_server, model):
        _, usage = await ask(model)
    assert usage is not None
    assert (usage.prompt_tokens, usage.completion_tokens) == (14, 3)


async def test_an_answer_lost_to_thinking_names_the_setting() -> None:
    async with serving([Empty(finish="length")]) as (_server, model):
        with pytest.raises(ModelDown, match="raise REPLY_TOKENS"):
            await text_of(model)


async def test_a_silent_endpoint_is_given_up() -> None:
    timeouts = Timeouts(first_word=0.05)
    async with serving([Hang(), Hang(after=""), Answer("Yes.")], timeouts=timeouts) as (
        server,
        model,
    ):
        assert await text_of(model) == "Yes."
    assert len(server.requests) == 3
    async with serving([Hang()], timeouts=timeouts) as (server, model):
        with pytest.raises(ModelDown, match=r"did not begin to answer \(0\.05 s"):
            await text_of(model)


async def test_an_answer_that_stops_growing_is_down_after_its_pieces() -> None:
    timeouts = Timeouts(between_words=0.05)
    async with serving([Hang(after="Yes, up")], timeouts=timeouts) as (server, model):
        pieces: list[str] = []
        with pytest.raises(ModelDown, match=r"stopped in the middle .*0\.05 s"):
            await hear(model, pieces)
    assert pieces == ["Yes,", " up"]
    assert len(server.requests) == 1


async def test_a_slow_thinker_is_not_taken_for_a_silent_one() -> None:
    think = Think("one two three four five six", "Yes.", seconds_per_piece=0.02)
    timeouts = Timeouts(first_word=0.08, between_words=0.08)
    async with serving([think], timeouts=timeouts) as (_server, model):
        assert await text_of(model) == "Yes."
    endless = Think("word " * 100, "Yes.", seconds_per_piece=0.01)
    timeouts = Timeouts(first_word=0.2, between_words=0.2, total=0.3)
    async with serving([endless], timeouts=timeouts, patience=Patience(tries=1)) as (
        _server,
        model,
    ):
        with pytest.raises(ModelDown):
            await text_of(model)


@pytest.mark.parametrize("politely", [True, False])
async def test_a_cut_answer_is_down_after_its_pieces_and_not_begun_anew(politely: bool) -> None:
    async with serving([CutStream("Yes, up", politely)]) as (server, model):
        pieces: list[str] = []
        with pytest.raises(ModelDown, match="broke off"):
            await hear(model, pieces)
    assert pieces == ["Yes,", " up"]
    assert len(server.requests) == 1


async def test_an_answer_that_is_not_streamed_may_be_cut_as_well() -> None:
    cut = CutStream("Yes", content_type="application/json")
    async with serving([cut]) as (_server, model):
        with pytest.raises(ModelDown, match="broke off"):
            await text_of(model)


@pytest.mark.parametrize("politely", [True, False])
async def test_an_answer_cut_before_its_first_word_is_asked_for_again(politely: bool) -> None:
    steps: list[Step] = [CutStream(politely=politely), Answer("Yes.")]
    async with serving(steps) as (_server, model):
        assert await text_of(model) == "Yes."


async def test_a_filtered_and_a_declined_answer_are_refused() -> None:
    filtered = Answer("Yes, up", finish="content_filter")
    async with serving([filtered]) as (_server, model):
        pieces: list[str] = []
        with pytest.raises(ModelRefused, match="content filter"):
            await hear(model, pieces)
        assert pieces == ["Yes,", " up"]
    async with serving([Answer("", refusal="I cannot.")]) as (_server, model):
        with pytest.raises(ModelRefused, match="declined"):
            await text_of(model)


async def test_an_answer_of_full_length_is_an_answer() -> None:
    async with serving([Answer("Yes, up", finish="length")]) as (_server, model):
        assert await text_of(model) == "Yes, up"


@pytest.mark.parametrize("begun", [False, True])
async def test_a_cancelled_call_ends_its_connection(begun: bool) -> None:
    step = Hang(after="Yes," if begun else None)
    async with serving([step]) as (server, model):
        pieces: list[str] = []
        task = asyncio.create_task(hear(model, pieces))
        await until(lambda: len(pieces) == 1 if begun else server.at_once == 1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await until(lambda: server.at_once == 0)
        assert server.dropped == 1


async def test_an_answer_that_nobody_hears_to_its_end_is_ended() -> None:
    answer = Answer("word " * 1000, seconds_per_piece=0.005)
    async with serving([answer]) as (server, model):
        async with aclosing(model.stream(PROMPT, max_tokens=64, purpose="answer")) as pieces:
            assert (await anext(pieces)).text == "word"
        await until(lambda: server.at_once == 0)
        assert server.dropped == 1


async def test_fifty_answers_grow_at_once() -> None:
    def script(asked: Request) -> Answer:
        return Answer(f"You said {asked.last}", seconds_per_piece=0.02)

    async with serving(script) as (server, model):
        lines = [[Line(role="user", text=str(n))] for n in range(50)]
        began = time.monotonic()
        answers = await asyncio.gather(*(ask(model, line) for line in lines))
        seconds = time.monotonic() - began
    assert [text for text, _ in answers] == [f"You said {n}" for n in range(50)]
    assert server.most_at_once == 50
    assert seconds < 50 * 3 * 0.02
