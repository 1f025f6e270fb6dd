"""How endpoints that call themselves OpenAI-compatible differ, and what a refusal teaches. Pure."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby
from typing import Literal

from adapters.settings import SystemRole
from bot.ports import Line

OPENING = "…"
"""What the user says first where a conversation may not begin with the assistant."""


class Part(StrEnum):
    """What some endpoint refuses in a request that others take."""

    USAGE = "stream_options"
    MAX_TOKENS = "max_tokens"
    MAX_COMPLETION_TOKENS = "max_completion_tokens"
    JSON_SCHEMA = "json_schema"
    OBJECT_SCHEMA = "json_object with schema"  # llama-cpp-python, Together, Fireworks
    JSON_OBJECT = "json_object"
    DEVELOPER_ROLE = "developer role"
    SYSTEM_ROLE = "system role"
    FREE_ORDER = "free order"  # one role twice in a row, or the assistant first


class SchemaForm(StrEnum):
    """How the shape of an answer is asked for, best first."""

    SCHEMA = Part.JSON_SCHEMA
    OBJECT_SCHEMA = Part.OBJECT_SCHEMA
    OBJECT = Part.JSON_OBJECT
    PROMPT = "prompt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """What one endpoint understands. `system` is the operator's choice, `refused` was learnt.

    `thinks_first`: answers begin within a thought whose opening tag is never sent.
    """

    system: SystemRole = SystemRole.SYSTEM
    refused: frozenset[Part] = frozenset()
    thinks_first: bool = False

    def without(self, part: Part) -> "Dialect":
        return replace(self, refused=self.refused | {part})

    @property
    def role(self) -> SystemRole:
        if self.system is SystemRole.MERGED or Part.SYSTEM_ROLE in self.refused:
            return SystemRole.MERGED
        return SystemRole.SYSTEM if Part.DEVELOPER_ROLE in self.refused else self.system

    @property
    def token_limit(self) -> Part | None:
        """The parameter that bounds the answer. None if the endpoint takes neither."""
        both = (Part.MAX_TOKENS, Part.MAX_COMPLETION_TOKENS)
        return next((part for part in both if part not in self.refused), None)

    @property
    def schema_form(self) -> SchemaForm:
        refused = {part.value for part in self.refused}
        return next(form for form in SchemaForm if form.value not in refused)

    def used(self, *, structured: bool) -> frozenset[Part]:
        """The parts of a request in this dialect that may be refused."""
        parts = {Part.USAGE, Part.FREE_ORDER} - self.refused
        if self.token_limit:
            parts.add(self.token_limit)
        if self.role is not SystemRole.MERGED:
            developer = self.role is SystemRole.DEVELOPER
            parts.add(Part.DEVELOPER_ROLE if developer else Part.SYSTEM_ROLE)
        if structured and self.schema_form is not SchemaForm.PROMPT:
            parts.add(Part(self.schema_form))
        return frozenset(parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """One message of a request as the endpoint gets it."""

    role: Literal["system", "developer", "user", "assistant"]
    text: str


def spoken(lines: Sequence[Line], dialect: Dialect) -> list[Spoken]:
    """A prompt in the roles and the order that an endpoint takes. Nothing is left out."""
    if dialect.role is SystemRole.MERGED:
        return _alternating([Spoken(role=_merged(line), text=line.text) for line in lines])
    if Part.FREE_ORDER in dialect.refused:
        head = next((at for at, line in enumerate(lines) if line.role != "system"), len(lines))
        instructions = "\n\n".join(line.text for line in lines[:head])
        rest = [Spoken(role=_merged(line), text=line.text) for line in lines[head:]]
        first = [Spoken(role=_system(dialect), text=instructions)] if head else []
        return first + _alternating(rest)
    return [
        Spoken(role=_system(dialect) if line.role == "system" else line.role, text=line.text)
        for line in lines
    ]


def _merged(line: Line) -> Literal["user", "assistant"]:
    return "assistant" if line.role == "assistant" else "user"


def _system(dialect: Dialect) -> Literal["system", "developer"]:
    return "developer" if dialect.role is SystemRole.DEVELOPER else "system"


def _alternating(messages: Sequence[Spoken]) -> list[Spoken]:
    """User and assistant by turns, the user first: neighbours of one role are joined."""
    joined = [
        Spoken(role=role, text="\n\n".join(message.text for message in neighbours))
        for role, neighbours in groupby(messages, key=lambda message: message.role)
    ]
    if not joined or joined[0].role == "assistant":
        joined.insert(0, Spoken(role="user", text=OPENING))
    return joined


def asking_for(schema: Mapping[str, object], lines: Sequence[Line]) -> list[Line]:
    """The prompt with the schema in words, for endpoints that take none beside it."""
    wish = (
        "Answer with one JSON value and nothing else: no explanation, no code fence."
        f" It must fit this JSON schema:\n{json.dumps(schema, ensure_ascii=False)}"
    )
    if lines and lines[-1].role == "user":
        return [*lines[:-1], Line(role="user", text=f"{lines[-1].text}\n\n{wish}")]
    return [*lines, Line(role="user", text=wish)]


def strictly(schema: object) -> object:
    """A JSON schema as strict mode wants it: every property required, no others, no defaults.

    Source: OpenAI's guide to structured outputs, "supported schemas".
    """
    if isinstance(schema, list):
        return [strictly(item) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    strict = {str(key): _strictly_at(str(key), value) for key, value in schema.items()}
    strict.pop("default", None)
    properties = strict.get("properties")
    if isinstance(properties, dict):
        strict["required"] = list(properties)
        strict["additionalProperties"] = False
    return strict


def _strictly_at(key: str, value: object) -> object:
    """Under these keys stand names, not keywords: a property may be called `default`."""
    if key in {"properties", "$defs", "definitions"} and isinstance(value, Mapping):
        return {str(name): strictly(inner) for name, inner in value.items()}
    return value if key in {"enum", "const", "required"} else strictly(value)


_LIMIT_NAME = (
    r"^(?=.*max_(?:completion_)?tokens)(?=.*(?:unsupported|not support|unknown|unrecogni[sz]ed"
    r"|unexpected|extra (?:input|field)|not permitted|not allowed|\binstead\b))"
)
_REFUSALS: Sequence[tuple[Part, re.Pattern[str]]] = [
    (part, re.compile(pattern, re.IGNORECASE))
    for part, pattern in (
        (Part.USAGE, r"stream_options|include_usage"),
        (Part.MAX_TOKENS, _LIMIT_NAME),
        (Part.MAX_COMPLETION_TOKENS, _LIMIT_NAME),
        (Part.FREE_ORDER, r"alternat|must (?:start|begin) with a user|first message|consecutive"),
        (Part.DEVELOPER_ROLE, r"developer"),
        (
            Part.SYSTEM_ROLE,
            r"(?:system|developer) (?:role|message|prompt|instruction)|(?:got|role) .?system",
        ),
        (Part.JSON_SCHEMA, r"response_format|json.?schema|structured|grammar|schema"),
        (Part.OBJECT_SCHEMA, r"response_format|json.?(?:object|mode)|schema|structured|grammar"),
        (Part.JSON_OBJECT, r"response_format|json.?(?:object|mode)|structured|grammar"),
    )
]
_NAMED = re.compile(
    r"response_format|stream_options|max_tokens|max_completion_tokens|\broles?\b|alternat",
    re.IGNORECASE,
)
"""Some servers report what they or a chat template do not take as their own failure, with 500;
then it must be named."""

_GUESSED = (Part.JSON_SCHEMA, Part.OBJECT_SCHEMA, Part.JSON_OBJECT)
"""What is left out next where an endpoint refuses without saying why."""


def refused_part(status: int, text: str, used: frozenset[Part]) -> Part | None:
    """What an endpoint did not take of a request, as far as its answer tells.

    `text` is the body of the error. A request without the part may pass. None if another
    reason is likelier.
    """
    if status not in {400, 422, 500, 501}:
        return None
    flat = " ".join(text.split())
    if status >= 500 and not _NAMED.search(flat):
        return None
    for part, pattern in _REFUSALS:
        if part in used and pattern.search(flat):
            return part
    return next((part for part in _GUESSED if part in used and status < 500), None)
