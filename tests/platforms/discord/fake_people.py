"""What people do on the fake Discord: they write, edit, delete, give commands, press buttons."""

from collections.abc import Sequence
from datetime import datetime

from tests.platforms.discord import fake_payloads as make
from tests.platforms.discord.fake_payloads import BOT, Json
from tests.platforms.discord.fake_state import State
from tests.platforms.discord.fake_wire import Interaction


class People(State):
    """Acts, each told over the gateway."""

    def told(self, event: str, message: Json) -> None:
        """A message's event, with what the gateway adds to it."""
        raise NotImplementedError

    def tell(self, event: str, data: Json) -> None:
        """Sends an event in every session."""
        raise NotImplementedError

    # -- what people do --------------------------------------------------------------------
    async def say(
        self,
        channel: str,
        who: str,
        text: str,
        *,
        mention: bool = False,
        reply_to: str | None = None,
        files: Sequence[tuple[str, bytes, str | None]] = (),
        bot: bool = False,
        tell: bool = True,
        at: datetime | None = None,
        **more: object,
    ) -> str:
        """Somebody writes; the id. Without `tell` the gateway is silent about it."""
        author = self.user(who, bot=bot)
        content = f"<@{BOT}> {text}" if mention else text
        made = self.new_message(channel, author, content, at=at)
        made["mentions"] = self._mentioned(content)
        if reply_to is not None:
            made |= self._reference(channel, reply_to)
        for name, data, kind in files:
            id_ = self.new_id()
            url = self.store_file(id_, name, data)
            made["attachments"].append(make.attachment(id_, name, len(data), url, kind))
        made |= more
        if tell:
            self.told("MESSAGE_CREATE", made)
        return str(made["id"])

    def _mentioned(self, content: str) -> list[Json]:
        people = [*self.users.values(), make.user(BOT, self.bot_name, bot=True)]
        return [one for one in people if f"<@{one['id']}>" in content]

    def _reference(self, channel: str, reply_to: str) -> Json:
        reference = {"type": 0, "message_id": reply_to, "channel_id": channel}
        if guild := self.channels[channel].get("guild_id"):
            reference["guild_id"] = guild
        found = self.messages.get(reply_to)
        return {"type": 19, "message_reference": reference, "referenced_message": found}

    def redeliver(self, message: str) -> None:
        self.told("MESSAGE_CREATE", self.messages[message])

    def edit(self, message: str, text: str) -> None:
        found = self.messages[message]
        found["content"] = text
        found["mentions"] = self._mentioned(text)
        found["edited_timestamp"] = self.now().isoformat()
        self.told("MESSAGE_UPDATE", found)

    def delete(self, message: str) -> None:
        self.take_away(self.messages[message])

    def take_away(self, message: Json) -> None:
        del self.messages[message["id"]]
        gone = {"id": message["id"], "channel_id": message["channel_id"]}
        self.tell("MESSAGE_DELETE", self._placed(gone, message["channel_id"]))

    def bulk_delete(self, channel: str, messages: Sequence[str]) -> None:
        for one in messages:
            self.messages.pop(one, None)
        gone: Json = {"ids": list(messages), "channel_id": channel}
        self.tell("MESSAGE_DELETE_BULK", self._placed(gone, channel))

    def webhook_says(self, channel: str, name: str, text: str) -> str:
        """A webhook of somebody else, as proxy bots use them."""
        author = make.user(self.new_id(), name, bot=True)
        made = self.new_message(channel, author, text)
        made |= {"webhook_id": author["id"], "application_id": "555"}
        self.told("MESSAGE_CREATE", made)
        return str(made["id"])

    def command(
        self,
        channel: str,
        who: str,
        name: str,
        options: dict[str, str] | None = None,
        *,
        kind: int = 1,
        permissions: int = 0,
        target: str | None = None,
        installed: bool = True,
        known: bool = True,
        context: int | None = None,
        file: tuple[str, bytes] | None = None,
    ) -> Interaction:
        """Somebody gives a command. Not `known`: Discord does not wait for an answer."""
        data: Json = {
            "id": "1",
            "name": name,
            "type": kind,
            "options": [
                {"name": n, "type": 3, "value": value} for n, value in (options or {}).items()
            ],
        }
        if file is not None:
            id_ = self.new_id()
            url = self.store_file(id_, *file)
            attachment = make.attachment(id_, file[0], len(file[1]), url, None)
            data["options"].append({"name": "card", "type": 11, "value": id_})
            data["resolved"] = {"attachments": {id_: attachment}}
        if target is not None:
            messages = {target: self.messages[target]}
            data |= {"target_id": target, "resolved": {"messages": messages}}
        return self._interact(
            2,
            channel,
            who,
            data,
            permissions=permissions,
            installed=installed,
            known=known,
            context=context,
        )

    def press(self, message: str, who: str, custom_id: str) -> Interaction:
        """Somebody presses a button of a message."""
        found = self.messages[message]
        data = {"custom_id": custom_id, "component_type": 2}
        return self._interact(3, found["channel_id"], who, data, message=found)

    def _interact(
        self,
        kind: int,
        channel: str,
        who: str,
        data: Json,
        *,
        permissions: int = 0,
        installed: bool = True,
        known: bool = True,
        message: Json | None = None,
        context: int | None = None,
    ) -> Interaction:
        id_ = self.new_id()
        made = Interaction(id=id_, token=f"itoken-{id_}", channel=channel, who=who)
        if known:
            self.interactions[made.token] = made
        place = self.channels[channel]
        author = self.user(who)
        guild = place.get("guild_id")
        owners = {"0": guild or "0"} if installed else {"1": author["id"]}
        event: Json = {
            "id": id_,
            "application_id": make.APPLICATION,
            "type": kind,
            "token": made.token,
            "version": 1,
            "attachment_size_limit": 10_000_000,
            "data": data,
            "channel": place,
            "channel_id": channel,
            "entitlements": [],
            "app_permissions": "0",
            "locale": "en-US",
            "authorizing_integration_owners": owners,
            "context": context if context is not None else 0 if guild else 1,
        }
        if message is not None:
            event["message"] = message
        if guild:
            event |= {
                "guild_id": guild,
                "guild": {"id": guild, "locale": "en-US", "features": []},
                "member": {**make.member(author), "permissions": str(permissions)},
            }
        else:
            event["user"] = author
        self.tell("INTERACTION_CREATE", event)
        return made
