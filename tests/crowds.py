"""A crowd on a fake platform, as a process of its own: `benchmarks/crowd.py` drives it.

It prints a line of JSON with the settings that lead the program to it. For each line
`{"messages": 1000, "per_second": 30, "seed": 0}` on standard input, people say so many things,
each with a mark of its own; the program's model answers with the marks of what it answers. When
all is answered, a line with figures follows.
"""

import asyncio
import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from tests.fakes import until

PATIENCE_SECONDS = 60.0
"""So long nothing may happen before what is missing counts as lost."""

AFTERWARDS_SECONDS = 3.0
"""So long a second answer is waited for."""

LOOK_SECONDS = 0.05
START_SECONDS = 300.0

_MARK = re.compile(r"\bc\d+-\d+\b")


class Crowd(Protocol):
    """A fake platform with a number of channels, and people in them."""

    @property
    def settings(self) -> Mapping[str, str]:
        """The program's settings, by name."""
        ...

    @property
    def channels(self) -> Sequence[str]: ...

    @property
    def is_connected(self) -> bool:
        """Whether the program hears what is said now."""
        ...

    async def say(self, channel: str, text: str) -> None:
        """Somebody there says something to the persona."""
        ...

    def news(self) -> Sequence[tuple[str, str, str]]:
        """What the program wrote since the last call, oldest first: the channel, the
        message's id, its whole text; once more for each edit."""
        ...

    @property
    def violations(self) -> Mapping[str, int]:
        """How often a limit of the platform was not heeded, by limit."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """Something to be said, so many seconds after the beginning."""

    at: float
    channel: int
    mark: str


def plan(messages: int, channels: int, per_second: float, seed: int) -> list[Planned]:
    """What is said when: each channel in its own rhythm, with pauses that vary as people's do
    (exponentially), so that some of it comes in bursts."""
    chance = random.Random(seed)
    pause = channels / per_second
    planned: list[Planned] = []
    for channel in range(channels):
        at = 0.0
        for number in range(messages // channels + (channel < messages % channels)):
            at += chance.expovariate(1 / pause)
            planned.append(
                Planned(at=at, channel=channel, mark=f"c{channel:02}-{seed:02}{number:05}")
            )
    return sorted(planned, key=lambda one: one.at)


class Judge:
    """Watches whether every message gets exactly one answer, in the order of its channel."""

    def __init__(self) -> None:
        self.said: dict[str, float] = {}
        self.first_answer: dict[str, float] = {}
        self._texts: dict[str, tuple[str, str]] = {}  # the channel and text of each reply

    def heard(self, mark: str, now: float) -> None:
        self.said[mark] = now

    def saw(self, channel: str, message: str, text: str, now: float) -> None:
        self._texts[message] = (channel, text)
        for mark in _MARK.findall(text):
            self.first_answer.setdefault(mark, now)

    @property
    def unanswered(self) -> int:
        return len(self.said) - len(self.said.keys() & self.first_answer.keys())

    def figures(self) -> dict[str, float]:
        """Of all that was said since the judge was made."""
        covered = Counter(m for _, text in self._texts.values() for m in _MARK.findall(text))
        waits = sorted(
            self.first_answer[mark] - self.said[mark]
            for mark in self.said
            if mark in self.first_answer
        )
        return {
            "messages": len(self.said),
            "covered by exactly one reply": sum(covered[mark] == 1 for mark in self.said),
            "never answered": sum(covered[mark] == 0 for mark in self.said),
            "answered twice": sum(covered[mark] > 1 for mark in self.said),
            "replies": len(self._texts),
            "channels": len({mark.partition("-")[0] for mark in self.said}),
            "channels in order": sum(1 for ordered in self._orders() if ordered),
            "wait p50 s": _quantile(waits, 0.5),
            "wait p99 s": _quantile(waits, 0.99),
        }

    def _orders(self) -> Iterator[bool]:
        """For each channel, whether its marks were answered in the order they were said."""
        by_channel: dict[str, list[str]] = {}
        for channel, text in self._texts.values():
            by_channel.setdefault(channel, []).extend(_MARK.findall(text))
        for marks in by_channel.values():
            yield marks == sorted(marks)


def _quantile(ordered: Sequence[float], share: float) -> float:
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)] if ordered else float("nan")


async def play(
    crowd: Crowd, planned: Sequence[Planned], *, afterwards: float = AFTERWARDS_SECONDS
) -> dict[str, float]:
    """Says all that is planned, waits until it is answered, and judges."""
    judge, before = Judge(), Counter(crowd.violations)
    began = time.monotonic()
    saying = asyncio.create_task(_say(crowd, planned, judge, began))
    last = began
    while not saying.done() or judge.unanswered:
        await asyncio.sleep(LOOK_SECONDS)
        now = time.monotonic()
        for news in crowd.news():
            judge.saw(*news, now)
            last = now
        if saying.done() and now - last > PATIENCE_SECONDS:
            break
    await saying
    seconds = time.monotonic() - began
    await asyncio.sleep(afterwards)
    for news in crowd.news():
        judge.saw(*news, time.monotonic())
    violations = Counter(crowd.violations) - before
    figures = judge.figures() | {"seconds": seconds}
    return figures | {"limits violated": float(violations.total())}


async def _say(crowd: Crowd, planned: Sequence[Planned], judge: Judge, began: float) -> None:
    for one in planned:
        await asyncio.sleep(max(began + one.at - time.monotonic(), 0))
        judge.heard(one.mark, time.monotonic())
        text = f"This is {one.mark}, and the bread was good today; was the sea calm?"
        await crowd.say(crowd.channels[one.channel], text)


async def serve(crowd: Crowd) -> None:
    """Speaks with the benchmark over standard input and output until that ends."""
    _print({"settings": dict(crowd.settings)})
    while line := await asyncio.to_thread(sys.stdin.readline):
        wish = json.loads(line)
        await until(lambda: crowd.is_connected, seconds=START_SECONDS)
        planned = plan(wish["messages"], len(crowd.channels), wish["per_second"], wish["seed"])
        _print(await play(crowd, planned))


def _print(content: object) -> None:
    print(json.dumps(content), flush=True)  # noqa: T201 - the benchmark reads it
