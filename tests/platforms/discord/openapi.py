"""Checks what the fake answers against Discord's own OpenAPI description, where it is at hand.

The environment variable BOWER_SPECS names the folder that holds `discord-openapi.json`.
"""

import importlib
import json
import os
import re
from functools import cache
from pathlib import Path
from typing import Any

FILE = "discord-openapi.json"


class Oracle:
    """Knows which JSON Discord answers with."""

    def __init__(self, file: Path) -> None:
        validators: Any = importlib.import_module("jsonschema.validators")  # it has no types
        referencing: Any = importlib.import_module("referencing")
        dialect: Any = importlib.import_module("referencing.jsonschema").DRAFT202012
        self._spec: dict[str, Any] = json.loads(file.read_text())
        resource = referencing.Resource(contents=self._spec, specification=dialect)
        registry = referencing.Registry().with_resource("spec", resource)
        self._validator: Any = lambda schema: validators.Draft202012Validator(
            schema, registry=registry
        )
        self._paths = [(_pattern(path), path) for path in self._spec["paths"]]
        self.checked = 0

    def complaints(self, method: str, path: str, status: int, body: object) -> list[str]:
        """What is wrong with an answer; empty if it is right."""
        found = sorted((p for p in self._paths if p[0].fullmatch(path)), key=lambda p: len(p[1]))
        if not found:
            return [f"{method} {path} is no path of Discord's"]
        exact = [p for p in found if p[1].count("{") == min(q[1].count("{") for q in found)]
        responses = self._spec["paths"][exact[0][1]].get(method.lower(), {}).get("responses", {})
        if str(status) not in responses:
            return [] if status >= 400 else [f"{method} {path} never answers {status}"]
        content = responses[str(status)].get("content")
        if not content:
            return []
        schema = _absolute(content["application/json"]["schema"])
        self.checked += 1
        errors = self._validator(schema).iter_errors(body)
        return [f"{method} {path}: {e.json_path} {e.message[:200]}" for e in errors]


def _absolute(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {k: f"spec{v}" if k == "$ref" else _absolute(v) for k, v in schema.items()}
    return [_absolute(one) for one in schema] if isinstance(schema, list) else schema


def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(path)))


@cache
def oracle() -> Oracle | None:
    """The oracle; None where the description or the validator is not at hand."""
    folder = os.environ.get("BOWER_SPECS")
    if not folder or not (Path(folder) / FILE).is_file():
        return None
    try:
        return Oracle(Path(folder) / FILE)
    except ImportError:
        return None
