"""`main.py doctor`: what works, what does not, and what to do about it."""

import asyncio
import json
import logging
from typing import Annotated

import typer

from adapters.cli.checks import Check, State, check_all
from adapters.cli.root import root_of, set_up_logging

MARKS = {State.OK: "ok  ", State.WARN: "warn", State.FAIL: "fail"}


def doctor(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Check the installation: one line for each part, with the remedy.

    The exit code is 1 if something fails.
    """
    set_up_logging(logging.getLevelName(logging.ERROR))
    checks = asyncio.run(check_all(root_of(context)))
    if as_json:
        typer.echo(json.dumps(_as_object(checks), ensure_ascii=False))
    else:
        for check in checks:
            remedy = f" -> {check.remedy}" if check.remedy else ""
            typer.echo(f"{MARKS[check.state]}  {check.name}: {check.found}{remedy}")
    raise typer.Exit(1 if any(check.state is State.FAIL for check in checks) else 0)


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
