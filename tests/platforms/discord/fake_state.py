"""What the fake Discord knows: servers, channels, people, messages, files."""

from collections.abc import Callable
from datetime import UTC, datetime

from tests.platforms.discord import fake_payloads as make
from tests.platforms.discord.fake_payloads import BOT, EPHEMERAL, Json
from tests.platforms.discord.fake_wire import Interaction

TOKEN = "token-of-the-bot"


class State:
    """All rows, and how tests add to them. `now` tells the time, from which ids are made."""

    def __init__(self, now: Callable[[], datetime] | None = None) -> None:
        self.now = now or (lambda: datetime.now(UTC))
        self.token = TOKEN
        self.bot_name = "bower"
        self.flags = make.ALL_FLAGS
        self.users: dict[str, Json] = {}
        self.guilds: dict[str, Json] = {}
        self.channels: dict[str, Json] = {}
        self.messages: dict[str, Json] = {}
        self.nonces: dict[tuple[str, str], str] = {}
        self.webhooks: dict[str, Json] = {}
        self.commands: list[Json] = []
        self.interactions: dict[str, Interaction] = {}
        self.expired: set[str] = set()
        self.thinking: set[str] = set()
        self.hidden: set[str] = set()
        self.typed: list[str] = []
        self.edits: list[str] = []
        self._files: dict[str, bytes] = {}
        self._counter = 0
        self._port = 0

    def new_id(self, at: datetime | None = None) -> str:
        self._counter += 1
        ms = int((at or self.now()).timestamp() * 1000) - make.EPOCH_MS
        return str((ms << 22) | self._counter)

    def user(self, name: str, *, bot: bool = False) -> Json:
        """The person of this name, made if there is none."""
        if name not in self.users:
            self.users[name] = make.user(self.new_id(), name, bot=bot)
        return self.users[name]

    def add_guild(self, name: str, *people: str, owner: str = "Owner") -> Json:
        """A server with these people and the bot."""
        everybody = [self.user(one) for one in dict.fromkeys((owner, *people))]
        members = [make.member(one) for one in everybody]
        members.append(make.member(make.user(BOT, self.bot_name, bot=True)))
        made = make.guild(self.new_id(), name, self.user(owner)["id"], members)
        self.guilds[made["id"]] = made
        return made

    def add_channel(
        self, guild: Json, name: str, *, private: bool = False, nsfw: bool = False
    ) -> str:
        made = make.text_channel(self.new_id(), guild["id"], name, private=private, nsfw=nsfw)
        guild["channels"].append(made)
        self.channels[made["id"]] = made
        return str(made["id"])

    def add_thread(
        self, parent: str, name: str, *, private: bool = False, known: bool = True, id_: str = ""
    ) -> str:
        """A thread; unknown ones are not sent with the server, as Discord does with old ones."""
        made = make.thread(id_ or self.new_id(), self.channels[parent], name, private=private)
        if known:
            self.guilds[made["guild_id"]]["threads"].append(made)
        self.channels[made["id"]] = made
        return str(made["id"])

    def dm(self, user: str) -> Json:
        """The DM with the person of this id."""
        for channel in self.channels.values():
            if channel["type"] == 1 and channel["recipients"][0]["id"] == user:
                return channel
        of = next(one for one in self.users.values() if one["id"] == user)
        made = make.dm_channel(self.new_id(), of)
        self.channels[made["id"]] = made
        return made

    def dm_of(self, name: str) -> str:
        return str(self.dm(self.user(name)["id"])["id"])

    def new_message(
        self, channel: str, author: Json, content: str, *, at: datetime | None = None
    ) -> Json:
        id_ = self.new_id(at)
        made = make.message(id_, channel, author, content, at or self.now())
        self.messages[id_] = made
        return made

    def store_file(self, id_: str, name: str, content: bytes) -> str:
        self._files[id_] = content
        return f"http://127.0.0.1:{self._port}/files/{id_}/{name}"

    def lose_files(self) -> None:
        """Discord keeps no file any more."""
        self._files.clear()

    def file(self, id_: str) -> bytes:
        """What an attachment holds."""
        return self._files[id_]

    def texts(self, channel: str, *, mine: bool = True, private: bool = False) -> list[str]:
        """What the bot (and its webhooks) posted in a channel and everybody can read; with
        `private`, what a single person was shown."""
        return [
            message["content"]
            for message in self.messages.values()
            if message["channel_id"] == channel
            and self.is_mine(message) == mine
            and bool(message["flags"] & EPHEMERAL) == private
        ]

    def is_mine(self, message: Json) -> bool:
        return message["author"]["id"] == BOT or message.get("webhook_id") in self.webhooks

    def _placed(self, data: Json, channel: str) -> Json:
        guild = self.channels.get(channel, {}).get("guild_id")
        return {**data, "guild_id": guild} if guild else data
