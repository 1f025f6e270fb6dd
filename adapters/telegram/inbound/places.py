"""Where: private chats, groups and topics, and the ids of messages there."""

from dataclasses import dataclass, field

from telegram import Chat, ChatFullInfo, Message
from telegram.constants import ChatType

from adapters.telegram.inbound.people import PLATFORM
from bot.world import PlaceKey, PlaceKind, Where

MOST_TOPICS = 1000
"""Names of so many topics are remembered."""

ALBUM = "album-"


@dataclass(slots=True)
class Places:
    """Describes places as one bot account sees them; learns the names of topics."""

    bot_account: str
    _topics: dict[tuple[int, int], str] = field(default_factory=dict)

    def of(self, message: Message) -> Where:
        """Where a message is."""
        self._learn_topic(message)
        return self.where(message.chat, topic_of(message))

    def where(self, chat: Chat | ChatFullInfo, topic: int | None = None) -> Where:
        """A chat, or one topic of it (None: the chat itself, or the General topic)."""
        key = self.key(chat.id, topic)
        if chat.type == ChatType.PRIVATE:
            return Where(key=key, kind=PlaceKind.DM, name=chat.effective_name or "")
        title = chat.title or ""
        if not chat.is_forum:
            return Where(key=key, kind=PlaceKind.GROUP, name=title)
        name = self._topics.get((chat.id, topic), "topic") if topic else "General"
        return Where(
            key=key, kind=PlaceKind.TOPIC, name=name, server=str(chat.id), server_name=title
        )

    def key(self, chat: int, topic: int | None = None) -> PlaceKey:
        return PlaceKey(
            platform=PLATFORM,
            bot_account=self.bot_account,
            chat=str(chat),
            thread=str(topic) if topic else "",
        )

    def _learn_topic(self, message: Message) -> None:
        topic = topic_of(message)
        opening = message if message.forum_topic_created else message.reply_to_message
        name = ""
        if message.forum_topic_edited and message.forum_topic_edited.name:
            name = message.forum_topic_edited.name
        elif topic and opening is not None and opening.forum_topic_created:
            name = self._topics.get((message.chat.id, topic), opening.forum_topic_created.name)
        if topic and name:
            if len(self._topics) >= MOST_TOPICS:
                self._topics.clear()
            self._topics[message.chat.id, topic] = name


def topic_of(message: Message) -> int | None:
    """The topic of a message. Outside of topics a thread id marks only a chain of replies,
    and the General topic has none."""
    return message.message_thread_id if message.is_topic_message else None


def id_of(message: Message) -> str:
    """The id under which a message is kept. The parts of an album are one message, so that
    also a part that comes alone, or once more, is known."""
    if message.media_group_id:
        return f"{ALBUM}{message.media_group_id}"
    return str(message.message_id)
