"""From first met to familiar, dependent, separated, and back: a table of moves.

The patent names the stages (paragraph 45); what moves one into the next are the numbers
below. A move asks for weight *and* distinct days, so that nobody grinds through the stages
in one evening; the ways down ask for several bad days or a long silence, and lie well below
the ways up, so that nothing flickers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.stream.bonds import Bond, Stage, Standing

KNOWN_WEIGHT, KNOWN_EXCHANGES, KNOWN_DAYS = 2, 6, 3
CLOSE_WEIGHT, CLOSE_EXCHANGES, CLOSE_DAYS, CLOSE_LATELY = 10, 24, 10, 8
BROKEN_WEIGHT = -4
QUARREL_RECENT, QUARREL_DAYS = -5, 3
"""The newest ten exchanges sum up to this or less, with bad ones on so many days."""
COOLED_RECENT, COOLED_DAYS, COOLED_WEIGHT = -2, 2, 5
AWAY_DAYS_FIRST_MET, AWAY_DAYS_FAMILIAR, AWAY_DAYS_DEPENDENT = 90, 60, 90
FADED_DAYS = 30
AGAIN_EXCHANGES, AGAIN_DAYS, AGAIN_WEIGHT = 4, 2, 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A move from one stage to another; every threshold that is set must be met.

    `*_from` are at least, `*_to` at most. `again_*` count from the beginning of the present
    stage. `silent_days` is the time since the last exchange.
    """

    before: Stage
    after: Stage
    why: str
    weight_from: int | None = None
    weight_to: int | None = None
    exchanges_from: int = 0
    days_from: int = 0
    lately_from: int = 0
    recent_from: int | None = None
    recent_to: int | None = None
    bad_days_from: int = 0
    again_exchanges: int = 0
    again_days: int = 0
    silent_days: int = 0

    def fits(self, standing: Standing, now: datetime) -> bool:
        """Whether a relationship in the stage `before` makes this move."""
        s = standing
        at_least = (
            (s.exchanges, self.exchanges_from),
            (s.days, self.days_from),
            (s.lately, self.lately_from),
            (s.bad_days, self.bad_days_from),
            (s.since_exchanges, self.again_exchanges),
            (s.since_days, self.again_days),
            (s.silence(now).days, self.silent_days),
            (s.weight, self.weight_from),
            (s.recent, self.recent_from),
        )
        at_most = ((s.weight, self.weight_to), (s.recent, self.recent_to))
        return all(low is None or value >= low for value, low in at_least) and all(
            high is None or value <= high for value, high in at_most
        )


def _quarrel(before: Stage) -> tuple[Move, Move]:
    return (
        Move(
            before=before,
            after=Stage.SEPARATED,
            why="a quarrel that went on for days",
            recent_to=QUARREL_RECENT,
            bad_days_from=QUARREL_DAYS,
        ),
        Move(
            before=before,
            after=Stage.SEPARATED,
            why="more bad than good",
            weight_to=BROKEN_WEIGHT,
            bad_days_from=2,
        ),
    )


def _silence(before: Stage, days: int) -> Move:
    return Move(before=before, after=Stage.SEPARATED, why="a long silence", silent_days=days)


MOVES: tuple[Move, ...] = (
    *_quarrel(Stage.FIRST_MET),
    _silence(Stage.FIRST_MET, AWAY_DAYS_FIRST_MET),
    Move(
        before=Stage.FIRST_MET,
        after=Stage.FAMILIAR,
        why="got to know each other",
        weight_from=KNOWN_WEIGHT,
        exchanges_from=KNOWN_EXCHANGES,
        days_from=KNOWN_DAYS,
    ),
    *_quarrel(Stage.FAMILIAR),
    _silence(Stage.FAMILIAR, AWAY_DAYS_FAMILIAR),
    Move(
        before=Stage.FAMILIAR,
        after=Stage.DEPENDENT,
        why="close, and often together",
        weight_from=CLOSE_WEIGHT,
        exchanges_from=CLOSE_EXCHANGES,
        days_from=CLOSE_DAYS,
        lately_from=CLOSE_LATELY,
        recent_from=0,
    ),
    *_quarrel(Stage.DEPENDENT),
    _silence(Stage.DEPENDENT, AWAY_DAYS_DEPENDENT),
    Move(
        before=Stage.DEPENDENT,
        after=Stage.FAMILIAR,
        why="cooled down",
        recent_to=COOLED_RECENT,
        bad_days_from=COOLED_DAYS,
    ),
    Move(
        before=Stage.DEPENDENT,
        after=Stage.FAMILIAR,
        why="less close than before",
        weight_to=COOLED_WEIGHT,
    ),
    Move(
        before=Stage.DEPENDENT,
        after=Stage.FAMILIAR,
        why="seldom together",
        silent_days=FADED_DAYS,
    ),
    Move(
        before=Stage.SEPARATED,
        after=Stage.FAMILIAR,
        why="found each other again",
        weight_from=AGAIN_WEIGHT,
        recent_from=0,
        again_exchanges=AGAIN_EXCHANGES,
        again_days=AGAIN_DAYS,
    ),
)
"""Every way out of every stage. The first that fits is taken."""


def move(stage: Stage, standing: Standing, now: datetime, *, moves: Sequence[Move] = MOVES) -> Move:
    """The move that is due; one that stays where it is if none is."""
    return next(
        (m for m in moves if m.before is stage and m.fits(standing, now)),
        Move(before=stage, after=stage, why=""),
    )


def stage_now(bond: Bond, now: datetime) -> Stage:
    """The stage as it is at this moment: silence moves it without anybody's doing."""
    return move(bond.stage, bond.standing, now).after
