"""What OpenAI refuses in a request, in its words."""

import json

from tests.scripted_answers import Failure, Json

ROLES = {"system", "developer", "user", "assistant", "tool", "function"}


def wrong_messages(messages: object) -> Failure | None:
    if not isinstance(messages, list) or not messages:
        return Failure(400, "Invalid 'messages': empty array.", param="messages")
    for at, message in enumerate(messages):
        role = message.get("role") if isinstance(message, dict) else None
        if role not in ROLES:
            return Failure(400, f"Invalid value: '{role}'.", param=f"messages[{at}].role")
        if not isinstance(message.get("content"), str):
            return Failure(400, "Expected a string.", param=f"messages[{at}].content")
    return None


def wrong_limits(body: Json) -> Failure | None:
    names = [name for name in ("max_tokens", "max_completion_tokens") if name in body]
    if len(names) == 2:
        return Failure(
            400,
            "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
            code="invalid_parameter_combination",
        )
    for name in names:
        limit = body[name]
        if not isinstance(limit, int) or limit < 1:
            return Failure(400, f"Invalid '{name}': integer below minimum value.", param=name)
    if body.get("stream_options") and not body.get("stream"):
        return Failure(400, "'stream_options' is only allowed when 'stream' is enabled.")
    return None


def wrong_format(body: Json) -> Failure | None:
    wanted = body.get("response_format")
    if not isinstance(wanted, dict):
        return None
    if wanted.get("type") == "json_object" and "json" not in json.dumps(body["messages"]).lower():
        said = "'messages' must contain the word 'json' to use 'response_format' of 'json_object'."
        return Failure(400, said, param="messages")
    if wanted.get("type") == "json_schema":
        inner = wanted.get("json_schema", {})
        if not inner.get("name") or (inner.get("strict") and not is_strict(inner.get("schema"))):
            said = "Invalid schema for response_format: 'additionalProperties' must be false."
            return Failure(400, said, param="response_format")
    return None


def is_strict(schema: object) -> bool:
    """Whether every object in a schema demands all of its properties and forbids others."""
    if isinstance(schema, list):
        return all(is_strict(item) for item in schema)
    if not isinstance(schema, dict):
        return True
    properties = schema.get("properties")
    if isinstance(properties, dict):
        strict = schema.get("additionalProperties") is False
        if not strict or set(schema.get("required", ())) != set(properties):
            return False
    return all(is_strict(value) for value in schema.values())


def unknown(name: str) -> Failure:
    instead = " Use 'max_completion_tokens' instead." if name == "max_tokens" else ""
    said = f"Unsupported parameter: '{name}' is not supported with this model.{instead}"
    return Failure(400, said, code="unsupported_parameter", param=name)
