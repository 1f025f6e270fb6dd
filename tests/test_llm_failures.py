"""What goes wrong at an endpoint, and what the adapter makes of it."""

from datetime import timedelta
from email.utils import format_datetime

import pytest

from adapters.llm import OpenAIModel, Patience
from adapters.llm.failures import retry_after
from bot.errors import ModelDown, ModelRefused, SettingsError
from tests.fakes import NOON, FakeClock
from tests.llm_stage import model_at, serving, text_of
from tests.scripted_answers import Step
from tests.scripted_model import (
    Answer,
    Empty,
    Failure,
    Garbage,
    ScriptedModel,
)


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
async def test_what_may_pass_later_is_tried_again(status: int) -> None:
    clock = FakeClock()
    async with serving([Failure(status), Answer("Yes.")], clock=clock) as (_server, model):
        assert await text_of(model) == "Yes."
    assert len(clock.slept) == 1
    assert 0.25 <= clock.slept[0] <= 0.5


async def test_pauses_double_up_to_a_bound_and_tries_come_to_an_end() -> None:
    clock = FakeClock()
    patience = Patience(tries=7, first_pause=1.0, longest_pause=6.0)
    steps = [Failure(503, "Overloaded.")]
    async with serving(steps, clock=clock, patience=patience) as (server, model):
        with pytest.raises(ModelDown, match=r'fails \(HTTP 503\).*"Overloaded\."'):
            await text_of(model)
    assert len(server.requests) == 7
    for slept, longest in zip(clock.slept, [1, 2, 4, 6, 6, 6], strict=True):
        assert longest / 2 <= slept <= longest


@pytest.mark.parametrize(
    "headers",
    [
        {"Retry-After": "7"},
        {"Retry-After": "7.0"},
        {"retry-after-ms": "7000"},
        {"retry-after-ms": "7000", "Retry-After": "900"},
        {"Retry-After": format_datetime(NOON + timedelta(seconds=7), usegmt=True)},
    ],
)
async def test_a_pause_that_is_asked_for_is_kept(headers: dict[str, str]) -> None:
    clock = FakeClock()
    steps: list[Step] = [Failure(429, headers=headers), Answer("Yes.")]
    async with serving(steps, clock=clock) as (_server, model):
        assert await text_of(model) == "Yes."
    assert len(clock.slept) == 1
    assert 7.0 <= clock.slept[0] <= 8.0


async def test_a_pause_that_is_too_long_is_told_at_once_and_kept_by_all_calls() -> None:
    clock = FakeClock()
    steps: list[Step] = [Failure(429, headers={"Retry-After": "120"}), Answer("Yes.")]
    async with serving(steps, clock=clock) as (server, model):
        with pytest.raises(ModelDown, match="asked too often; it asks for a pause of 120 s") as e:
            await text_of(model)
        assert e.value.retry_after == 120.0
        clock.pass_time(seconds=20)
        with pytest.raises(ModelDown, match="100 s of it are left") as e:
            await text_of(model)
        assert e.value.retry_after == 100.0
        assert len(server.requests) == 1
        assert clock.slept == []
        clock.pass_time(seconds=100)
        assert await text_of(model) == "Yes."


@pytest.mark.parametrize(
    ("failure", "sentence"),
    [
        (Failure(401, code="invalid_api_key"), "does not accept the key; check OPENAI_API_KEY"),
        (Failure(403, "Not for you."), 'check OPENAI_API_KEY and MODEL.*"Not for you."'),
        (Failure(404, body="404 page not found"), "OPENAI_BASE_URL, which usually ends in /v1"),
        (Failure(405, body="<html>no</html>"), "OPENAI_BASE_URL, which usually ends in /v1"),
        (Failure(400, "Bad luck."), 'refuses the request to scripted .*400.*"Bad luck."'),
        (Failure(402, "Pay."), "has no credit left"),
        (Failure(429, "Quota.", code="insufficient_quota"), "has no credit left"),
        (Failure(413, body="<html>big</html>"), "lower CONTEXT_TOKENS"),
        (Failure(400, code="context_length_exceeded"), "lower CONTEXT_TOKENS"),
        (Failure(400, "the request exceeds the available context size"), "lower CONTEXT_TOKENS"),
        (Failure(500, "This model's maximum context length is 8"), "lower CONTEXT_TOKENS"),
        (Failure(400, "No.", code="content_filter"), "content filter"),
    ],
)
async def test_a_refusal_names_what_to_mend_and_is_not_repeated(
    failure: Failure, sentence: str
) -> None:
    async with serving([failure]) as (server, model):
        with pytest.raises(ModelRefused, match=sentence):
            await text_of(model)
    assert len(server.requests) == 1


async def test_a_wrong_model_a_wrong_key_and_a_wrong_address_are_told_apart() -> None:
    async with ScriptedModel([Answer("Yes.")], api_key="right") as server:
        async with model_at(server.url, name="other", api_key="right") as model:
            with pytest.raises(ModelRefused, match="has no model other; check MODEL"):
                await text_of(model)
        async with model_at(server.url, api_key="wrong") as model:
            with pytest.raises(ModelRefused, match="OPENAI_API_KEY"):
                await text_of(model)
        async with model_at(server.url.removesuffix("/v1"), api_key="right") as model:
            with pytest.raises(ModelRefused, match="OPENAI_BASE_URL"):
                await text_of(model)


@pytest.mark.parametrize("key", ["sk-ключ", "two words", "line\nbreak"])
async def test_a_key_that_cannot_be_one_is_refused_at_once(key: str) -> None:
    with pytest.raises(SettingsError, match="OPENAI_API_KEY"):
        OpenAIModel(base_url=None, api_key=key, model="m")


@pytest.mark.parametrize("url", ["http://[", "localhost:8080/v1", "http://h:port/v1", "http://"])
async def test_an_address_that_is_none_is_refused_at_once(url: str) -> None:
    with pytest.raises(SettingsError, match="OPENAI_BASE_URL"):
        OpenAIModel(base_url=url, api_key="k", model="m")


async def test_an_endpoint_that_is_not_there_is_down_and_its_password_stays_secret() -> None:
    clock = FakeClock()
    async with ScriptedModel([Empty()]) as server:
        address = server.url
    address = address.replace("http://", "http://ann:secret@")
    async with model_at(address, clock=clock) as model:
        with pytest.raises(ModelDown, match="cannot be reached") as error:
            await text_of(model)
    assert "secret" not in str(error.value)
    assert len(clock.slept) == 3


@pytest.mark.parametrize(
    "data",
    [
        b"data: {not json\n\n",
        b"data: 5\n\n",
        b"data: null\n\n",
        b"data: []\n\n",
        b'data: "text"\n\n',
        b'data: {"choices": 5}\n\n',
        b'data: {"choices": [], "_fields_set": 5}\n\n',
        b'data: {"choices": [5]}\n\n',
        b'data: {"choices": [null], "usage": 7}\n\n',
        b'data: {"choices": [{"delta": {"content": 5}, "finish_reason": []}]}\n\n',
        b'data: {"choices": [{"delta": []}], "usage": {"prompt_tokens": "x"}}\n\n',
        b"data: " + b"[" * 100_000 + b"\n\n",
        b"data: \xff\xfe\n\n",
        b"\x00\x01\x02\xff" * 1000,
        b"<html>Bad gateway</html>",
        b'{"error": "not an event"}',
        b'data: {"error": {"message": "CUDA out of memory"}}\n\n',
        b'event: error\ndata: {"error": "upstream"}\n\n',
        b"",
    ],
)
async def test_garbage_is_never_an_answer(data: bytes) -> None:
    for after, tries in (("", 4), ("Yes, up", 1)):
        async with serving([Garbage(data, after)]) as (server, model):
            with pytest.raises(ModelDown):
                await text_of(model)
        assert len(server.requests) == tries


async def test_an_error_within_the_stream_is_what_it_says() -> None:
    long = b'data: {"error": {"message": "maximum context length is 8", "code": 400}}\n\n'
    async with serving([Garbage(long)]) as (_server, model):
        with pytest.raises(ModelRefused, match="CONTEXT_TOKENS"):
            await text_of(model)


@pytest.mark.parametrize(
    ("garbage", "sentence"),
    [
        (Garbage(b"<html>Welcome</html>", content_type="text/html"), "OPENAI_BASE_URL"),
        (Garbage(b'{"error": {"code": 401}}', content_type="application/json"), "API_KEY"),
        (
            Garbage(
                b'{"error": {"type": "invalid_request_error", "message": "No."}}',
                content_type="application/json",
            ),
            'refuses the request.*"No."',
        ),
    ],
)
async def test_a_success_that_is_none_is_refused(garbage: Garbage, sentence: str) -> None:
    async with serving([garbage]) as (_server, model):
        with pytest.raises(ModelRefused, match=sentence):
            await text_of(model)


@pytest.mark.parametrize("data", [b"{", b"[]", b"null", b'{"choices": []}', b'"x"', b"\xff"])
async def test_json_that_is_no_answer_is_down(data: bytes) -> None:
    garbage = Garbage(data, content_type="application/json")
    async with serving([garbage]) as (_server, model):
        with pytest.raises(ModelDown):
            await text_of(model)


async def test_a_web_page_as_error_is_not_quoted() -> None:
    page = Failure(502, body="<html><h1>Bad gateway</h1></html>", content_type="text/html")
    async with serving([page]) as (_server, model):
        with pytest.raises(ModelDown, match=r"fails \(HTTP 502\); try again later\.$"):
            await text_of(model)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "-5"}, 0.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "x", "retry-after": "9"}, 9.0),
        ({"retry-after": "1e999"}, float("inf")),
        ({"retry-after": "Sun, 01 Mar 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Sun, 01 Mar 2026 13:00:30 +0100"}, 30.0),
        ({"retry-after": "Sun, 01 Mar 2026 12:00:30 -0000"}, 30.0),
        ({"retry-after": "Sun, 01 Mar 2020 12:00:30 GMT"}, 0.0),
        ({"retry-after": "Sun, 99 Mar 2026 12:00:30 GMT"}, None),
    ],
)
def test_a_pause_is_read_in_each_form(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, NOON) == seconds
