"""Drafts keep a pace, and chats a budget."""

from adapters.pacing import MANY_CHATS, Allowance, Budget, Pace, Pacer
from tests.fakes import FakeClock

FIVE = Allowance(sends=5, seconds=5.0)


def test_a_draft_waits_before_its_first_showing_and_between_two() -> None:
    pace = Pace(first_seconds=1.0, every_seconds=1.5)
    assert pace.wait(begun=100.0, shown=None, now=100.25) == 0.75
    assert pace.wait(begun=100.0, shown=None, now=102.0) == 0.0
    assert pace.wait(begun=100.0, shown=102.0, now=102.5) == 1.0


def test_a_budget_lets_a_burst_through_and_then_waits() -> None:
    budget = Budget([FIVE])
    for n in range(5):
        assert budget.wait(n / 10) == 0.0
        budget.spend(n / 10)
    assert budget.left(0.5) == 0
    assert budget.wait(0.5) == 4.5
    assert budget.wait(5.0) == 0.0
    assert budget.left(5.0) == 1


def test_the_tighter_of_two_allowances_decides() -> None:
    budget = Budget([Allowance(sends=1, seconds=1.0), Allowance(sends=2, seconds=60.0)])
    budget.spend(0.0)
    assert budget.wait(0.5) == 0.5
    budget.spend(1.0)
    assert budget.wait(2.0) == 58.0


async def test_thirty_sends_take_as_long_as_they_may() -> None:
    clock = FakeClock()
    pacer = Pacer(clock, [FIVE])
    begun = clock.now()
    for _ in range(30):
        await pacer.turn("a")
    assert (clock.now() - begun).total_seconds() == 25.0
    await pacer.turn("b")
    assert (clock.now() - begun).total_seconds() == 25.0


async def test_drafts_leave_room_for_replies() -> None:
    pacer = Pacer(FakeClock(), [FIVE])
    assert [pacer.take("a", keep=2) for _ in range(5)] == [True, True, True, False, False]
    await pacer.turn("a")


async def test_quiet_chats_are_forgotten() -> None:
    clock = FakeClock()
    pacer = Pacer(clock, [FIVE])
    for n in range(MANY_CHATS):
        assert pacer.take(str(n))
    clock.pass_time(seconds=6)
    assert pacer.take("one more")
    assert len(pacer._budgets) == 1
