"""Whose feelings are scored at whose cost: a scorer that asks a model is paid by the place."""

from collections.abc import Sequence

from bot.house.house import House
from bot.memory import Event
from bot.ports import EmotionScorer, PaidScorer, Storage
from bot.world import Place


class Scorers:
    """Gives each place a scorer that it can afford."""

    def __init__(self, scorer: EmotionScorer, *, storage: Storage, house: House) -> None:
        self._scorer = scorer
        self._storage = storage
        self._house = house

    async def of(self, place: Place) -> EmotionScorer:
        """The scorer; once the place's budget of the day is used up, one that costs nothing."""
        if not isinstance(self._scorer, PaidScorer):
            return self._scorer
        return self._scorer.paid_by(place.id, afford=not await self._house.is_spent(place))

    async def shared_out(
        self, events: Sequence[Event]
    ) -> list[tuple[EmotionScorer, Sequence[Event]]]:
        """Which scorer is to score which of the events."""
        if not isinstance(self._scorer, PaidScorer):
            return [(self._scorer, events)]
        places = {place.id: place for place in await self._storage.places()}
        by_place: dict[int, list[Event]] = {}
        for event in events:
            by_place.setdefault(event.place_id, []).append(event)
        return [(await self.of(places[place]), theirs) for place, theirs in by_place.items()]
