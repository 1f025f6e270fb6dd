"""Macros in a text: where they stand, what they are called, what stands in them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

MOST_DEPTH = 20
"""Macros within macros; a text nested deeper is left as it is."""


@dataclass(frozen=True, slots=True)
class Macro:
    """What stands between two pairs of braces, and where in the text."""

    body: "tuple[Node, ...]"
    at: int

    @property
    def name(self) -> str:
        """In small letters; empty if it does not begin with one."""
        match = _NAME.match(self._head)
        return match[1].lower() if match else ""

    @property
    def argument(self) -> "list[Node]":
        """Everything after the name."""
        match = _NAME.match(self._head)
        return [self._head[match.end() :], *self.body[1:]] if match else []

    @property
    def choices(self) -> "list[list[Node]]":
        """The arguments: between `::`, or between commas where there is no `::` among them."""
        parts = _split(self.argument, _COLONS)
        return parts if len(parts) > 1 else _split(self.argument, _COMMA)

    @property
    def _head(self) -> str:
        return self.body[0] if isinstance(self.body[0], str) else ""


Node = str | Macro

_BRACES = re.compile(r"\{\{(?!\{)|\}\}")
_NAME = re.compile(r"\s*(//|#?[A-Za-z_][\w+-]*(?=[:\s]|$))\s*:{0,2}")
_COLONS = re.compile("::")
_COMMA = re.compile(r"(?<!\\),")


def parse(text: str) -> list[Node]:
    """Text and macros in order. Braces without a partner are text."""
    open_: list[list[Node]] = [[]]
    starts: list[int] = []
    position = 0
    for brace in _BRACES.finditer(text):
        open_[-1].append(text[position : brace.start()])
        position = brace.end()
        if brace[0] == "{{":
            if len(starts) == MOST_DEPTH:
                return [text]
            starts.append(brace.start())
            open_.append([])
        elif starts:
            body = tuple(open_.pop())
            open_[-1].append(Macro(body, starts.pop()))
        else:
            open_[-1].append("}}")
    open_[-1].append(text[position:])
    whole = open_[0]
    for rest in open_[1:]:
        whole += ["{{", *rest]
    return whole


def _split(nodes: Sequence[Node], by: re.Pattern[str]) -> list[list[Node]]:
    parts: list[list[Node]] = [[]]
    for node in nodes:
        if isinstance(node, Macro):
            parts[-1].append(node)
            continue
        head, *tail = by.split(node)
        parts[-1].append(head)
        parts += [[piece] for piece in tail]
    return parts
