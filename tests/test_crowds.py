"""The judge of crowds and the fake's rate limits find what they are there to find."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from tests.crowds import Judge, Planned, plan, play
from tests.platforms.discord.fake_limits import GLOBAL_CALLS, RateLimits


def judged(said: Sequence[str], *replies: tuple[str, str, str]) -> dict[str, float]:
    judge = Judge()
    for mark in said:
        judge.heard(mark, 0.0)
    for channel, message, text in replies:
        judge.saw(channel, message, text, 1.0)
    return judge.figures()


def test_one_reply_may_cover_several_messages() -> None:
    found = judged(["c01-1", "c01-2"], ("a", "r1", "I heard c01-1, c01-2."))
    assert found["covered by exactly one reply"] == 2
    assert found["channels in order"] == found["channels"] == 1


def test_a_draft_that_grows_is_one_reply() -> None:
    found = judged(["c01-1"], ("a", "r1", "I heard c01-1"), ("a", "r1", "I heard c01-1, and."))
    assert found["covered by exactly one reply"] == found["replies"] == 1


def test_what_is_missing_or_answered_twice_is_counted() -> None:
    found = judged(["c01-1", "c01-2", "c02-1"], ("a", "r1", "c01-1"), ("a", "r2", "c01-1"))
    assert found["answered twice"] == 1
    assert found["never answered"] == 2
    assert found["covered by exactly one reply"] == 0


def test_answers_in_another_order_than_the_messages_are_noticed() -> None:
    found = judged(["c01-1", "c01-2"], ("a", "r1", "c01-2"), ("a", "r2", "c01-1"))
    assert found["channels in order"] == 0


def test_a_plan_spreads_all_messages_and_repeats_with_its_seed() -> None:
    planned = plan(101, 5, 10.0, seed=3)
    assert planned == plan(101, 5, 10.0, seed=3)
    assert len({one.mark for one in planned}) == len(planned) == 101
    assert {one.channel for one in planned} == set(range(5))
    for channel in range(5):
        marks = [one.mark for one in planned if one.channel == channel]
        assert marks == sorted(marks)
    assert [one.at for one in planned] == sorted(one.at for one in planned)


class EchoingCrowd:
    """A program that answers at once."""

    channels = ("a",)
    is_connected = True
    settings: Mapping[str, str] = MappingProxyType({})
    violations: Mapping[str, int] = MappingProxyType({"global": 0})

    def __init__(self) -> None:
        self._news: list[tuple[str, str, str]] = []

    async def say(self, channel: str, text: str) -> None:
        self._news.append((channel, f"r{text.split()[2]}", text))

    def news(self) -> list[tuple[str, str, str]]:
        found, self._news = self._news, []
        return found


async def test_what_a_crowd_says_is_watched_until_it_is_answered() -> None:
    planned = [Planned(at=0.0, channel=0, mark=f"c00-{n}") for n in range(3)]
    figures = await play(EchoingCrowd(), planned, afterwards=0.0)
    assert figures["covered by exactly one reply"] == 3
    assert figures["limits violated"] == 0


class SetClock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


POST = ("POST", "/channels/7/messages")


def test_a_bucket_says_what_is_left_and_refuses_what_is_too_much() -> None:
    clock = SetClock()
    limits = RateLimits(clock)
    left = [limits.ask(*POST).headers["X-RateLimit-Remaining"] for _ in range(5)]
    assert left == ["4", "3", "2", "1", "0"]
    assert limits.violations.total() == 0
    clock.now += 1.0
    refused = limits.ask(*POST)
    assert refused.retry_after == 4.0
    assert not refused.is_global
    assert limits.violations == {"messages": 1}
    assert limits.ask("POST", "/channels/8/messages").retry_after is None
    clock.now += 4.0
    assert limits.ask(*POST).retry_after is None


def test_all_calls_together_have_a_limit_but_for_interactions() -> None:
    clock = SetClock()
    limits = RateLimits(clock)
    for number in range(GLOBAL_CALLS):
        assert limits.ask("GET", f"/channels/{number}").retry_after is None
    assert limits.ask("POST", "/interactions/1/secret/callback").retry_after is None
    refused = limits.ask("GET", "/channels/1")
    assert refused.is_global
    assert limits.violations == {"global": 1}
    clock.now += refused.retry_after or 0
    assert limits.ask("GET", "/channels/1").retry_after is None
