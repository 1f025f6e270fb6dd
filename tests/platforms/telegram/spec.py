"""Holds the fake's answers to the published description of the Bot API, where it is at hand."""

import json
import os
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Any

FILE = "telegram-bot-api.json"

PLAIN: dict[str, type | tuple[type, ...]] = {
    "Integer": int,
    "String": str,
    "Boolean": bool,
    "True": bool,
    "Float": (int, float),
}


@cache
def description() -> dict[str, Any] | None:
    """The description, from the folder that BOWER_SPECS names."""
    folder = os.environ.get("BOWER_SPECS")
    if not folder or not (Path(folder) / FILE).is_file():
        return None
    loaded: dict[str, Any] = json.loads((Path(folder) / FILE).read_text(encoding="utf-8"))
    return loaded


def check_result(method: str, result: object) -> None:
    """Raises AssertionError where a method could not answer so."""
    if (found := description()) is None:
        return
    by_name = {name.lower(): value for name, value in found["methods"].items()}
    returns = by_name[method.lower()]["returns"]
    problems = [_problem(result, kind, method) for kind in returns]
    assert not all(problems), problems


def check_call(method: str, given: Collection[str]) -> None:
    """Raises AssertionError where a method has no such parameters, or lacks some that it
    needs."""
    if (found := description()) is None:
        return
    by_name = {name.lower(): value for name, value in found["methods"].items()}
    assert method.lower() in by_name, f"there is no method {method}"
    fields = by_name[method.lower()].get("fields", [])
    strange = set(given) - {field["name"] for field in fields}
    assert not strange, f"{method} has no {sorted(strange)}"
    missing = {field["name"] for field in fields if field["required"]} - set(given)
    assert not missing, f"{method} lacks {sorted(missing)}"


def check_value(kind: str, value: object) -> None:
    """Raises AssertionError where a value is not of a type of the Bot API."""
    if description() is not None:
        problem = _problem(value, kind, kind)
        assert not problem, problem


def _problem(value: object, kind: str, path: str) -> str:
    """Why a value is not of this type; empty if it is."""
    if kind.startswith("Array of "):
        if not isinstance(value, list):
            return f"{path} is no list"
        inner = kind.removeprefix("Array of ")
        return next(
            (p for n, v in enumerate(value) if (p := _problem(v, inner, f"{path}[{n}]"))), ""
        )
    if kind in PLAIN:
        return "" if isinstance(value, PLAIN[kind]) else f"{path} is no {kind}"
    found = description()
    assert found is not None
    described = found["types"][kind]
    if "subtypes" in described:
        problems = [_problem(value, one, path) for one in described["subtypes"]]
        return "" if not all(problems) else min(problems, key=len)
    return _object_problem(value, described.get("fields", []), path)


def _object_problem(value: object, fields: list[dict[str, Any]], path: str) -> str:
    if not isinstance(value, dict):
        return f"{path} is no object"
    known = {field["name"]: field for field in fields}
    for name, field in known.items():
        if name not in value:
            if field["required"]:
                return f"{path}.{name} is missing"
            continue
        problems = [_problem(value[name], kind, f"{path}.{name}") for kind in field["types"]]
        if all(problems):
            return problems[0]
    strange = set(value) - set(known)
    return f"{path} has unknown {sorted(strange)}" if strange else ""
