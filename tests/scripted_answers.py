"""What a scripted model may do when it is asked, and two scripts for whole processes."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

Json = dict[str, object]


@dataclass(frozen=True, slots=True)
class Answer:
    """A good answer, streamed word by word. `seconds_per_piece` makes it slow.

    `whole`: it is not streamed even if that was asked for. Without `usage` none is told.
    """

    text: str
    finish: str = "stop"
    usage: bool = True
    seconds_per_piece: float = 0.0
    whole: bool = False
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class Think:
    """Thoughts, then the answer. `style` is how they are told apart: `field` as
    reasoning_content, `tags` as <think>, `unopened` with a closing tag alone."""

    thoughts: str
    answer: str
    style: str = "field"
    seconds_per_piece: float = 0.0


@dataclass(frozen=True, slots=True)
class Failure:
    """An HTTP error. A text body is sent as it is, otherwise OpenAI's JSON is made."""

    status: int
    message: str = "Something went wrong."
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str | None = None
    content_type: str = "application/json"
    code: str | None = None
    param: str | None = None


@dataclass(frozen=True, slots=True)
class Hang:
    """Takes the request and says nothing more, before the headers or after some text."""

    after: str | None = None


@dataclass(frozen=True, slots=True)
class CutStream:
    """Drops the connection after some text; `politely` ends the stream without a reason."""

    after: str = ""
    politely: bool = False
    content_type: str = "text/event-stream"


@dataclass(frozen=True, slots=True)
class Garbage:
    """Any bytes, after some text, as an event stream or as another content type."""

    data: bytes
    after: str = ""
    content_type: str = "text/event-stream"
    status: int = 200


@dataclass(frozen=True, slots=True)
class Empty:
    """An answer without a word."""

    finish: str = "stop"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What the server was asked. `schema` is that of response_format, None without one."""

    messages: Sequence[Mapping[str, str]]
    body: Json
    headers: Mapping[str, str]

    @property
    def last(self) -> str:
        """The text of the last user message."""
        return next((m["content"] for m in reversed(self.messages) if m["role"] == "user"), "")

    @property
    def response_format(self) -> str:
        """`json_schema`, `json_object`, or empty."""
        wanted = self.body.get("response_format")
        return str(wanted["type"]) if isinstance(wanted, dict) else ""

    @property
    def schema(self) -> object:
        wanted = self.body.get("response_format")
        inner = wanted.get("json_schema", wanted) if isinstance(wanted, dict) else None
        return inner.get("schema") if isinstance(inner, dict) else None

    @property
    def max_tokens(self) -> object:
        return self.body.get("max_tokens", self.body.get("max_completion_tokens"))


Step = Answer | Think | Failure | Hang | CutStream | Garbage | Empty
Script = Callable[[Request], Step]


def deltas_of(step: Step) -> list[Json]:
    """What a step streams, word by word."""
    match step:
        case Answer(refusal="") as answer:
            return [{"content": word} for word in words(answer.text)]
        case Answer() as answer:
            return [{"refusal": word} for word in words(answer.refusal)]
        case Think(style="field") as think:
            thoughts: list[Json] = [{"reasoning_content": w} for w in words(think.thoughts)]
            return thoughts + [{"content": word} for word in words(think.answer)]
        case Think() as think:
            opening = "<think>" if think.style == "tags" else ""
            text = f"{opening}{think.thoughts}</think>\n\n{think.answer}"
            return [{"content": text[at : at + 3]} for at in range(0, len(text), 3)]
        case CutStream() | Garbage() | Hang():
            return [{"content": word} for word in words(step.after or "")]
        case _:
            return []


def words(text: str) -> list[str]:
    return re.findall(r"\s*\S+\s*$|\s*\S+|\s+", text)


def echo(asked: Request) -> Step:
    """The last user message again."""
    return Answer(asked.last)


def marks(asked: Request) -> Step:
    """The marks (as c07-0012) in what was said since the last answer."""
    if asked.response_format:
        return Answer(json.dumps(smallest(asked.schema)))
    found: list[str] = []
    for message in asked.messages:
        if message["role"] == "assistant":
            found.clear()
        elif message["role"] == "user":
            found += re.findall(r"\bc\d+-\d+\b", str(message["content"]))
    return Answer(f"I heard {', '.join(found) or 'nothing'}, and the harbour is quiet.")


def chat(asked: Request) -> Step:
    """A sentence about the last user message, always the same for the same one; where JSON is
    wanted, the smallest value that fits the schema."""
    if asked.response_format:
        return Answer(json.dumps(smallest(asked.schema)))
    said = asked.last.strip().splitlines()[-1] if asked.last.strip() else "nothing"
    return Answer(f"I heard you say: {said}")


def smallest(schema: object) -> object:
    """A value that fits a simple schema: required properties, empty lists, zeros."""
    if not isinstance(schema, dict):
        return {}
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type", "object")
    if isinstance(kind, list):
        kind = kind[0]
    if kind == "object":
        properties = schema.get("properties", {})
        return {name: smallest(properties.get(name)) for name in schema.get("required", ())}
    plain: Mapping[str, object] = {"array": [], "string": "", "boolean": False, "null": None}
    return plain.get(kind, schema.get("minimum", 0))
