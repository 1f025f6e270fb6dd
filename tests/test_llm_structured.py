"""JSON from a language model, and what the adapter learns about its endpoint."""

import json

import pytest

from adapters.llm.dialect import Dialect, Part, SchemaForm, refused_part, spoken, strictly
from adapters.settings import SystemRole
from bot.errors import ModelError, ModelRefused
from bot.ports import ChatModel, Line
from tests.llm_stage import PROMPT, ask, serving, text_of
from tests.scripted_answers import Step
from tests.scripted_model import Answer, CutStream, Failure, Request, chat
from tests.scripted_refusals import is_strict, unknown

SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {
        "stance": {"enum": ["support", "deny"]},
        "sure": {"type": "number", "default": 0.5},
        "default": {"$ref": "#/$defs/Note"},
        "claims": {"type": "array", "items": {"type": "object", "properties": {"n": {}}}},
    },
    "$defs": {"Note": {"type": "object", "properties": {"default": {"type": "string"}}}},
}
FLAT: dict[str, object] = {"type": "object", "properties": {"sure": {"type": "number"}}}
LIST: dict[str, object] = {"type": "array", "items": {"type": "number"}}


async def sure_of(model: ChatModel, schema: dict[str, object] = FLAT) -> object:
    value, _ = await model.structured(PROMPT, schema, max_tokens=64, purpose="learn")
    return value


async def test_a_schema_is_handed_over_strictly_and_the_value_read() -> None:
    async with serving([Answer('{"sure": 0.5}')]) as (server, model):
        value, usage = await model.structured(PROMPT, SCHEMA, max_tokens=64, purpose="learn")
    assert value == {"sure": 0.5}
    assert usage is not None
    assert usage.purpose == "learn"
    assert server.refused == []
    asked = server.requests[0]
    assert asked.response_format == "json_schema"
    assert is_strict(asked.schema)
    assert "schema" not in asked.last


def form_of(request: Request) -> str:
    both = request.response_format == "json_object" and request.schema
    return "both" if both else request.response_format


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (400, "'response_format' is not supported."),
        (400, "Bad Request"),
        (422, "Bad Request"),
        (500, "('body', 'response_format', 'type'): Input should be 'text'"),
    ],
)
@pytest.mark.parametrize(
    ("forms", "asked"),
    [
        (["both"], ["json_schema", "both", "both"]),
        (["json_object"], ["json_schema", "both", "json_object", "json_object"]),
        ([], ["json_schema", "both", "json_object", "", ""]),
    ],
)
async def test_what_an_endpoint_takes_instead_is_found_and_remembered(
    forms: list[str], asked: list[str], status: int, said: str
) -> None:
    def script(request: Request) -> Step:
        known = form_of(request) in (*forms, "")
        return Answer('```json\n{"sure": 1,}\n```') if known else Failure(status, said)

    async with serving(script) as (server, model):
        assert await sure_of(model) == {"sure": 1}
        assert await sure_of(model) == {"sure": 1}
    assert [form_of(request) for request in server.requests] == asked
    assert server.refused == []
    assert json.dumps(FLAT) in server.requests[-1].last
    assert server.requests[-1].last.startswith("Ana: are you there?")


async def test_a_refusal_of_everything_is_not_taken_for_a_lesson() -> None:
    broken = True

    def script(request: Request) -> Step:
        return Failure(400, "Bad Request") if broken else chat(request)

    async with serving(script) as (server, model):
        with pytest.raises(ModelRefused, match="Bad Request"):
            await sure_of(model)
        broken = False
        await sure_of(model)
    assert server.requests[-1].response_format == "json_schema"


async def test_an_answer_that_is_cut_while_it_grows_is_asked_for_again() -> None:
    steps: list[Step] = [CutStream('{"sure": 1, '), Answer('{"sure": 2}')]
    async with serving(steps) as (_server, model):
        assert await sure_of(model) == {"sure": 2}


async def test_of_an_answer_of_full_length_what_is_complete_is_kept() -> None:
    async with serving([Answer("[1, 2, 3", finish="length")]) as (_server, model):
        assert await sure_of(model, LIST) == [1, 2]


@pytest.mark.parametrize("text", ["I would rather not.", "[1, 2]", '{"sure": 0.'])
async def test_an_answer_without_the_wanted_json_is_an_error(text: str) -> None:
    async with serving([Answer(text)]) as (server, model):
        with pytest.raises(ModelError, match="cannot be used: the model's answer holds no JSON"):
            await sure_of(model)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("refuses", "sent"),
    [
        (["stream_options"], {"max_tokens"}),
        (["max_tokens"], {"max_completion_tokens", "stream_options"}),
        (["max_tokens", "max_completion_tokens"], {"stream_options"}),
        (["max_tokens", "stream_options"], {"max_completion_tokens"}),
    ],
)
async def test_a_parameter_that_is_refused_is_left_out_from_then_on(
    refuses: list[str], sent: set[str]
) -> None:
    async with serving([Answer("Yes.")], refuses=refuses) as (server, model):
        assert await text_of(model) == "Yes."
        before = len(server.refused)
        assert before == len(refuses)
        assert await text_of(model) == "Yes."
    assert len(server.refused) == before
    assert set(server.requests[-1].body) - {"model", "messages", "stream"} == sent


@pytest.mark.parametrize(
    "said",
    [
        '{"detail":[{"loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}',
        "Unrecognized request argument supplied: stream_options",
    ],
)
async def test_a_refusal_with_422_teaches_as_well(said: str) -> None:
    def script(request: Request) -> Step:
        return Failure(422, body=said) if "stream_options" in request.body else Answer("Yes.")

    async with serving(script) as (_server, model):
        assert (await ask(model))[0] == "Yes."


async def test_a_limit_that_is_too_high_is_no_lesson() -> None:
    said = "max_tokens is too large: 64. This model supports at most 32 completion tokens"
    async with serving([Failure(400, said)]) as (server, model):
        with pytest.raises(ModelRefused, match="supports at most 32"):
            await text_of(model)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("status", "said", "roles"),
    [
        (400, "System role not supported", ["user"]),
        (500, 'Jinja: {"message": "System role not supported"}', ["user"]),
        (400, "Developer instruction is not enabled for models/gemma", ["user"]),
        (500, "Only user and assistant roles are supported, got system.", ["user"]),
        (400, "Conversation roles must alternate user/assistant/user", ["system", "user"]),
        (500, "After the system message, roles must alternate", ["system", "user"]),
    ],
)
async def test_what_a_chat_template_refuses_is_said_otherwise(
    status: int, said: str, roles: list[str]
) -> None:
    def script(request: Request) -> Step:
        got = [message["role"] for message in request.messages]
        return Answer("Yes.") if got == roles else Failure(status, said)

    lines = [*PROMPT, Line(role="user", text="Bo: hello?")]
    async with serving(script) as (server, model):
        assert (await ask(model, lines))[0] == "Yes."
        assert (await ask(model, lines))[0] == "Yes."
    assert len(server.requests) == 3
    text = "\n".join(message["content"] for message in server.requests[-1].messages)
    assert [line.text in text for line in lines] == [True] * 3


CONVERSATION = [
    Line(role="system", text="You are Ida."),
    Line(role="system", text="It is noon."),
    Line(role="assistant", text="Hello."),
    Line(role="user", text="Ana: hi"),
    Line(role="user", text="Bo: hi"),
    Line(role="assistant", text="Yes?"),
    Line(role="system", text="Be brief."),
    Line(role="user", text="Ana: rain?"),
]


@pytest.mark.parametrize(
    ("dialect", "expected"),
    [
        (Dialect(), "ss a uu a s u"),
        (Dialect(system=SystemRole.DEVELOPER), "dd a uu a d u"),
        (Dialect(system=SystemRole.MERGED), "u a u a u"),
        (Dialect().without(Part.SYSTEM_ROLE), "u a u a u"),
        (Dialect(system=SystemRole.DEVELOPER).without(Part.DEVELOPER_ROLE), "ss a uu a s u"),
        (Dialect().without(Part.FREE_ORDER), "s u a u a u"),
    ],
)
def test_a_prompt_is_put_in_the_endpoints_roles(dialect: Dialect, expected: str) -> None:
    messages = spoken(CONVERSATION, dialect)
    assert "".join(m.role[0] for m in messages) == expected.replace(" ", "")
    whole = "\n".join(message.text for message in messages)
    at = [whole.index(line.text) for line in CONVERSATION]
    assert at == sorted(at)


def test_a_prompt_of_nothing_but_instructions_gets_a_user() -> None:
    lines = [Line(role="system", text="You are Ida.")]
    dialect = Dialect().without(Part.FREE_ORDER)
    assert [message.role for message in spoken(lines, dialect)] == ["system", "user"]


def test_a_strict_schema_keeps_names_and_values_that_look_like_keywords() -> None:
    strict = strictly(SCHEMA)
    assert isinstance(strict, dict)
    assert is_strict(strict)
    assert strict["required"] == ["stance", "sure", "default", "claims"]
    assert strict["properties"]["sure"] == {"type": "number"}
    assert strict["properties"]["stance"] == {"enum": ["support", "deny"]}
    assert strict["$defs"]["Note"]["properties"] == {"default": {"type": "string"}}
    assert SCHEMA["properties"]["sure"] == {"type": "number", "default": 0.5}  # type: ignore[index]


def test_schema_forms_get_plainer() -> None:
    dialect = Dialect()
    forms = [dialect.schema_form]
    for part in (Part.JSON_SCHEMA, Part.OBJECT_SCHEMA, Part.JSON_OBJECT):
        dialect = dialect.without(part)
        forms.append(dialect.schema_form)
    assert forms == list(SchemaForm)


@pytest.mark.parametrize("status", [401, 404, 429, 503])
def test_other_failures_teach_nothing(status: int) -> None:
    every = frozenset(Part)
    assert refused_part(status, unknown("stream_options").message, every) is None
    assert refused_part(500, "The server had an error.", every) is None
    assert refused_part(500, "No such column in schema.", every) is None
    assert refused_part(400, "Bad Request", Dialect().used(structured=False)) is None
