"""A scorer that asks a model, in the running program: who pays for it, and what if nobody can."""

from adapters.emotion.asked import AskedScorer
from bot.emotion import Emotion
from bot.house.plan import Plan
from bot.memory import Usage
from bot.ports import Storage
from tests.conftest import MakeEngine
from tests.fakes import FakeClock, ScriptedChat, room
from tests.feeling.test_asked import JsonChat, joy_by_length
from tests.stream.feelings import ANGER, WordScorer
from tests.stream.test_circle import Evening


async def test_a_place_whose_budget_is_used_up_is_scored_without_the_model(
    store: Storage, make_engine: MakeEngine, clock: FakeClock, model: ScriptedChat
) -> None:
    async def spent(usage: Usage, place: int | None) -> None:
        await store.used(usage, place=place, at=clock.now())

    asked = JsonChat(joy_by_length)
    scorer = AskedScorer(asked, spent=spent, spare=WordScorer())
    async with make_engine(store, scorer=scorer, plan=Plan(budget_tokens=18)) as engine:
        evening = Evening(engine, store, clock, model)
        await evening.open_room(room())
        place = await store.place(room())

        async def say(text: str) -> Emotion | None:
            await evening.say("Ana", text, room())
            newest = await store.own_words(await evening.agent("Ana"), "", None, limit=1)
            [event] = await store.events([newest[0].id])
            return event.emotion

        first = await say("a stupid bus")
        assert first is not None
        assert first.named()["joy"] == 10  # as the model said, though long texts give more
        assert len(asked.asked) == 1
        midnight = clock.now().replace(hour=0, minute=0, second=0, microsecond=0)
        assert await store.spent(place.id, midnight) == 18  # the place paid
        assert await say("a stupid train") == ANGER  # as the spare one says
        assert len(asked.asked) == 1
        assert scorer.spared == 1
        clock.pass_time(days=1)
        second = await say("a stupid boat")
        assert second is not None
        assert second != ANGER
        assert len(asked.asked) == 2
