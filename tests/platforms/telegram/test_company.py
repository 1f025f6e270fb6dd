"""Two personas in one Telegram group, through one bot."""

from bot.world import PlaceKey, PlaceKind, Where
from tests.platforms.telegram.world import BOT, ROOM, TelegramWorld


async def both_in_the_room(world: TelegramWorld) -> None:
    key = PlaceKey(platform="telegram", bot_account=str(BOT), chat=str(ROOM))
    place = await world.store.place(Where(key=key, kind=PlaceKind.GROUP, name="kitchen"))
    await world.store.choose_persona(place.id, "ida,mira")


async def test_whoever_is_named_or_replied_to_answers(world: TelegramWorld) -> None:
    await both_in_the_room(world)
    world.model.script = lambda _: "Aye."
    await world.say("Mira, hello", room=True)
    await world.say("and you?", room=True, reply_to_persona=True)
    await world.say("Ida, hello", room=True)
    await world.say("and you?", room=True, reply_to_persona=True)
    assert world.seen(room=True) == ["Mira:\nAye.", "Mira:\nAye.", "Aye.", "Aye."]


async def test_one_asks_the_other_and_is_answered(world: TelegramWorld) -> None:
    await both_in_the_room(world)
    answers = iter(["Mira, is the tide in?", "It is out."])
    world.model.script = lambda _: next(answers)
    await world.say("Ida, ask her", room=True)
    assert world.seen(room=True) == ["Mira, is the tide in?", "Mira:\nIt is out."]
