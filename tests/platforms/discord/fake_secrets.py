"""Webhooks and interactions of the fake Discord: what goes by a secret in the address."""

import re
from typing import TYPE_CHECKING

from tests.platforms.discord import fake_payloads as make
from tests.platforms.discord.fake_payloads import EPHEMERAL, Json
from tests.platforms.discord.fake_wire import (
    Answer,
    Handler,
    Interaction,
    Refusal,
    Request,
    components,
)

if TYPE_CHECKING:
    from tests.platforms.discord.fake_gateway import FakeDiscord
    from tests.platforms.discord.fake_rest import Rest


class Secrets:
    """Handlers over the state, with those of `Rest` for messages."""

    def __init__(self, state: "FakeDiscord", messages: "Rest") -> None:
        self._state = state
        self._messages = messages

    def routes(self) -> list[tuple[str, str, Handler]]:
        hook = r"/webhooks/(\d+)/([\w-]+)"
        return [
            ("GET", r"/channels/(\d+)/webhooks", self._webhooks),
            ("POST", r"/channels/(\d+)/webhooks", self._make_webhook),
            ("POST", r"/interactions/(\d+)/([\w-]+)/callback", self._callback),
            ("POST", hook, self._through_webhook),
            ("PATCH", hook + r"/messages/(@original|\d+)", self._edit_through_webhook),
            ("DELETE", hook + r"/messages/(@original|\d+)", self._delete_through_webhook),
        ]

    # -- webhooks --------------------------------------------------------------------------
    def _webhooks(self, request: Request, found: re.Match[str]) -> Answer:
        return 200, [w for w in self._state.webhooks.values() if w["channel_id"] == found[1]]

    def _make_webhook(self, request: Request, found: re.Match[str]) -> Answer:
        made = make.webhook(self._state.new_id(), found[1], request.body["name"])
        self._state.webhooks[made["id"]] = made
        return 200, made

    def _through_webhook(self, request: Request, found: re.Match[str]) -> Answer:
        if found[1] == make.APPLICATION:
            return self._follow_up(request, found[2])
        hook = self._hook(found)
        name = str(request.body.get("username") or hook["name"])
        if re.search("discord|clyde", name, re.IGNORECASE) or len(name) > 80:
            raise Refusal(400, 50035, "Invalid Form Body", errors={"username": {}})
        self._messages.check(request.body, request.files)
        author = make.user(hook["id"], name, bot=True)
        channel = request.query.get("thread_id") or str(hook["channel_id"])
        posted = self._state.new_message(channel, author, request.body.get("content") or "")
        posted |= {"webhook_id": hook["id"], "application_id": make.APPLICATION}
        self._messages.attach(posted, request)
        self._state.told("MESSAGE_CREATE", posted)
        return 200, posted

    def _hook(self, found: re.Match[str]) -> Json:
        hook = self._state.webhooks.get(found[1])
        if hook is None or hook["token"] != found[2]:
            raise Refusal(404, 10015, "Unknown Webhook")
        return hook

    def _edit_through_webhook(self, request: Request, found: re.Match[str]) -> Answer:
        if found[1] != make.APPLICATION:
            self._hook(found)
            existing = self._messages.existing(found[3])
            if existing.get("webhook_id") != found[1]:
                raise Refusal(404, 10008, "Unknown Message")
            return 200, self._messages.rewrite(existing, request)
        known = self._interaction(found[2])
        if found[3] != "@original":
            return 200, self._messages.rewrite(self._messages.existing(found[3]), request)
        if known.original is None:
            if not known.acknowledged:
                raise Refusal(404, 10015, "Unknown Webhook")
            self._messages.check(request.body, request.files)
            original = known.original = self._answer_to(known, request, private=known.private)
            return 200, self._state.messages[original]
        return 200, self._messages.rewrite(self._messages.existing(known.original), request)

    def _delete_through_webhook(self, request: Request, found: re.Match[str]) -> Answer:
        if found[1] != make.APPLICATION:
            self._hook(found)
            self._state.take_away(self._messages.existing(found[3]))
            return 204, None
        known = self._interaction(found[2])
        if found[3] == "@original":
            if known.original is None:
                self._state.thinking.discard(known.id)
                known.original = "gone"
                return 204, None
            self._state.take_away(self._messages.existing(known.original))
            return 204, None
        self._state.take_away(self._messages.existing(found[3]))
        return 204, None

    # -- interactions ----------------------------------------------------------------------
    def _interaction(self, token: str) -> Interaction:
        known = self._state.interactions.get(token)
        if known is None:
            raise Refusal(404, 10015, "Unknown Webhook")
        if token in self._state.expired:
            raise Refusal(401, 50027, "Invalid Webhook Token")
        return known

    def _callback(self, request: Request, found: re.Match[str]) -> Answer:
        known = self._state.interactions.get(found[2])
        if known is None or found[2] in self._state.expired:
            raise Refusal(404, 10062, "Unknown interaction")
        if known.acknowledged:
            raise Refusal(400, 40060, "Interaction has already been acknowledged.")
        known.acknowledged = True
        known.private = bool((request.body.get("data") or {}).get("flags", 0) & EPHEMERAL)
        self._state.thinking.add(known.id)
        return 200, {"interaction": {"id": known.id, "type": 2, "response_message_loading": True}}

    def _follow_up(self, request: Request, token: str) -> Answer:
        known = self._interaction(token)
        self._messages.check(request.body, request.files)
        if known.original is None:  # the first one fills in what was deferred, as it was deferred
            known.original = self._answer_to(known, request, private=known.private)
            return 200, self._state.messages[known.original]
        private = bool(request.body.get("flags", 0) & EPHEMERAL)
        return 200, self._state.messages[self._answer_to(known, request, private=private)]

    def _answer_to(self, known: Interaction, request: Request, *, private: bool) -> str:
        self._state.thinking.discard(known.id)
        author = make.user(make.BOT, self._state.bot_name, bot=True)
        posted = self._state.new_message(known.channel, author, request.body.get("content") or "")
        posted |= {"components": components(request.body)}
        posted |= {"flags": EPHEMERAL if private else 0, "application_id": make.APPLICATION}
        self._messages.attach(posted, request)
        known.answers.append(posted["id"])
        if not private:
            self._state.told("MESSAGE_CREATE", posted)
        return str(posted["id"])
