"""A card for /persona import: with the command as its caption, or in the message it answers."""

import pytest

from bot.errors import SendError
from bot.messages import Command
from tests.platforms.telegram.world import TelegramWorld

CARD = b'{"spec": 1}'
DOCUMENT = {"file_id": "c1", "file_unique_id": "c1", "file_name": "b.json", "file_size": len(CARD)}


@pytest.mark.parametrize("as_reply", [False, True])
async def test_a_card_comes_along_as_caption_or_reply(world: TelegramWorld, as_reply: bool) -> None:
    world.api.chats.files["c1"] = CARD
    words = "/persona import"
    command = [{"type": "bot_command", "offset": 0, "length": len("/persona")}]
    if as_reply:
        card = world.write("", document=DOCUMENT)
        message = world.write(words, entities=command, reply_to_message=card)
    else:
        message = world.write("", document=DOCUMENT, caption=words, caption_entities=command)
    await world.deliver("message", message)
    [heard] = world.heard_of(Command)
    assert heard.options == {"what": "import"}
    assert heard.file is not None
    assert (heard.file.name, heard.file.size) == ("b.json", len(CARD))
    assert await heard.file.read() == CARD
    world.api.chats.files.clear()
    with pytest.raises(SendError, match="could not be had from Telegram"):
        await heard.file.read()
