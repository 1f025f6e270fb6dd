"""`main.py doctor`: what works, what does not, and what to do about it."""

import asyncio
import json
import logging

import typer

from adapters.cli.checks import Check, State, check_all
from adapters.cli.root import Root, set_up_logging

MARKS = {State.OK: "ok  ", State.WARN: "warn", State.FAIL: "fail"}


def doctor(root: Root, *, as_json: bool) -> int:
    """Says on standard output how each part is. Returns 1 if one fails."""
    set_up_logging(logging.getLevelName(logging.ERROR))
    checks = asyncio.run(check_all(root))
    if as_json:
        typer.echo(json.dumps(_as_object(checks), ensure_ascii=False))
    else:
        for check in checks:
            remedy = f" -> {check.remedy}" if check.remedy else ""
            typer.echo(f"{MARKS[check.state]}  {check.name}: {check.found}{remedy}")
    return 1 if any(check.state is State.FAIL for check in checks) else 0


def _as_object(checks: list[Check]) -> dict[str, object]:
    worst = max((check.state for check in checks), key=list(State).index, default=State.OK)
    return {
        "state": worst.value,
        "checks": [
            {
                "name": check.name,
                "state": check.state.value,
                "found": check.found,
                "remedy": check.remedy,
            }
            for check in checks
        ],
    }
