"""A command as somebody typed it."""

from dataclasses import dataclass

from telegram import Message, MessageEntity, User

from adapters.telegram.inbound.contents import entities_of, said


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """`/name@bot rest`. `addressed`: this bot is named; `elsewhere`: another bot is."""

    name: str
    rest: str
    addressed: bool = False
    elsewhere: bool = False

    @property
    def line(self) -> str:
        """As the command table parses it."""
        return f"/{self.name} {self.rest}".strip()


def typed_command(message: Message, me: User) -> Typed | None:
    """The command that a message begins with, if it does. Forwarded ones are quotations."""
    if message.forward_origin is not None:
        return None
    found = entities_of(message, [MessageEntity.BOT_COMMAND])
    word = next((text for entity, text in found.items() if entity.offset == 0), "")
    if not word:
        return None
    name, at, bot = word.removeprefix("/").partition("@")
    addressed = bool(at) and bot.casefold() == (me.username or "").casefold()
    return Typed(
        name=name.casefold(),
        rest=said(message)[len(word) :].strip(),
        addressed=addressed,
        elsewhere=bool(at) and not addressed,
    )
