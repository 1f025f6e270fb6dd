"""The Bot API's methods over chats in memory, as strict as the real ones."""

import json
from dataclasses import dataclass, field

from tests.platforms.telegram.fake_chats import Chats, FakeBot, Json, entities_in, utf16

LIMIT = 4096
STYLES = {
    "bold", "italic", "underline", "strikethrough", "spoiler", "code", "pre", "text_link",
    "text_mention", "blockquote", "expandable_blockquote", "custom_emoji",
}  # fmt: skip


class ApiError(Exception):
    """An answer with ok=false."""

    def __init__(self, code: int, description: str, **parameters: int) -> None:
        super().__init__(description)
        self.code = code
        self.description = description
        self.parameters = parameters


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call as it came in: parameters decoded, files by field name."""

    method: str
    bot: FakeBot
    params: Json
    files: dict[str, tuple[str, bytes]] = field(default_factory=dict)

    @property
    def names(self) -> set[str]:
        """Of its parameters; a file that another one attaches is none itself."""
        attached = {str(value) for value in self.params.values()}
        return {*self.params, *(f for f in self.files if f"attach://{f}" not in attached)}

    def number(self, name: str, default: int = 0) -> int:
        return int(self.params.get(name, default))

    def value(self, name: str) -> Json:
        """A parameter that is JSON, whatever way it came."""
        given = self.params.get(name)
        found = json.loads(given) if isinstance(given, str) else given
        assert found is None or isinstance(found, dict)
        return found or {}

    def values(self, name: str) -> list[Json]:
        given = self.params.get(name)
        found = json.loads(given) if isinstance(given, str) else given
        assert found is None or isinstance(found, list)
        return found or []


class Methods:
    """Each method that a chatbot needs. `run` answers or raises ApiError."""

    def __init__(self, chats: Chats) -> None:
        self.chats = chats
        self.knows_drafts = True
        self._table = {
            "getme": lambda call: call.bot.me,
            "deletewebhook": self._delete_webhook,
            "setwebhook": self._set_webhook,
            "getwebhookinfo": self._webhook_info,
            "getmycommands": self._get_commands,
            "setmycommands": self._set_commands,
            "sendmessage": self._send_message,
            "editmessagetext": self._edit_text,
            "deletemessage": self._delete_message,
            "sendchataction": self._chat_action,
            "sendmessagedraft": self._draft,
            "senddocument": self._send_document,
            "answercallbackquery": self._answer_query,
            "getchatmember": self._member,
            "getchat": self._get_chat,
            "getfile": self._get_file,
        }

    def run(self, call: Call) -> object:
        method = self._table.get(call.method.lower())
        if method is None or (call.method.lower() == "sendmessagedraft" and not self.knows_drafts):
            raise ApiError(404, "Not Found: method not found")
        return method(call)

    # -- set-up ----------------------------------------------------------------------------
    def _delete_webhook(self, call: Call) -> bool:
        call.bot.webhook = {"url": ""}
        return True

    def _set_webhook(self, call: Call) -> bool:
        if not str(call.params.get("url", "")).startswith("https://"):
            raise ApiError(400, "Bad Request: bad webhook: An HTTPS URL must be provided")
        call.bot.webhook = {
            "url": call.params["url"],
            "secret_token": call.params.get("secret_token"),
            "allowed_updates": call.values("allowed_updates"),
        }
        return True

    def _webhook_info(self, call: Call) -> Json:
        return {
            "url": call.bot.webhook["url"],
            "has_custom_certificate": False,
            "pending_update_count": len(call.bot.updates),
        }

    def _scope(self, call: Call) -> str:
        scope = json.dumps(call.value("scope") or {"type": "default"}, sort_keys=True)
        return f"{scope} {call.params.get('language_code', '')}"

    def _get_commands(self, call: Call) -> object:
        return call.bot.commands.get(self._scope(call), {}).get("commands", [])

    def _set_commands(self, call: Call) -> bool:
        call.bot.commands[self._scope(call)] = {"commands": call.values("commands")}
        return True

    # -- messages --------------------------------------------------------------------------
    def chat_of(self, call: Call) -> Json:
        """The chat that is written to. Raises as Telegram does for one that is not there."""
        number = call.number("chat_id")
        if number in self.chats.moved:
            raise ApiError(
                400,
                "Bad Request: group chat was upgraded to a supergroup chat",
                migrate_to_chat_id=self.chats.moved[number],
            )
        if number in self.chats.blocked:
            raise ApiError(403, "Forbidden: bot can't initiate conversation with a user")
        if number not in self.chats.chats:
            raise ApiError(400, "Bad Request: chat not found")
        return self.chats.chats[number]

    def _send_message(self, call: Call) -> Json:
        chat = self.chat_of(call)
        text, entities = self._checked_text(call)
        return self.chats.message(
            chat,
            call.bot.me,
            text=text,
            entities=entities or None,
            reply_markup=self._markup(call),
            **self._references(call, chat),
        )

    def _checked_text(self, call: Call) -> tuple[str, list[Json]]:
        text = str(call.params.get("text", ""))
        if call.params.get("parse_mode"):
            raise AssertionError("this bot sends entities, no parse mode")
        if not text.strip("\u200b\u2060 \n"):
            raise ApiError(400, "Bad Request: message text is empty")
        if utf16(text) > LIMIT:
            raise ApiError(400, "Bad Request: message is too long")
        entities = call.values("entities")
        check_entities(text, entities)
        return text, entities + [e for e in entities_in(text) if e not in entities]

    def _references(self, call: Call, chat: Json) -> Json:
        """Topic and reply, as they are shown in the message."""
        found: Json = {}
        topic = call.number("message_thread_id")
        if topic:
            if not chat.get("is_forum") and chat["type"] != "private":
                raise ApiError(400, "Bad Request: message thread not found")
            found |= {"message_thread_id": topic, "is_topic_message": True}
        about = call.value("reply_parameters")
        if about:
            earlier = self.chats.messages[chat["id"]].get(about["message_id"])
            if earlier is not None:
                found["reply_to_message"] = {
                    k: v for k, v in earlier.items() if k != "reply_to_message"
                }
            elif not about.get("allow_sending_without_reply"):
                raise ApiError(400, "Bad Request: message to be replied not found")
        return found

    def _markup(self, call: Call) -> Json | None:
        markup = call.value("reply_markup")
        for row in markup.get("inline_keyboard", []):
            for button in row:
                if len(str(button.get("callback_data", "")).encode()) > 64:
                    raise ApiError(400, "Bad Request: BUTTON_DATA_INVALID")
        return markup or None

    def _edit_text(self, call: Call) -> Json:
        chat = self.chat_of(call)
        message = self.chats.messages[chat["id"]].get(call.number("message_id"))
        if message is None:
            raise ApiError(400, "Bad Request: message to edit not found")
        if message.get("from", {}).get("id") != call.bot.id:
            raise ApiError(400, "Bad Request: message can't be edited")
        text, entities = self._checked_text(call)
        markup = self._markup(call)
        same = message.get("text") == text and message.get("entities", []) == entities
        if same and message.get("reply_markup") == markup:
            raise ApiError(
                400,
                "Bad Request: message is not modified: specified new message content and reply "
                "markup are exactly the same as a current content and reply markup of the message",
            )
        message |= {"text": text, "edit_date": self.chats.now()}
        for name, value in (("entities", entities), ("reply_markup", markup)):
            message.pop(name, None)
            if value:
                message[name] = value
        return message

    def _delete_message(self, call: Call) -> bool:
        chat = self.chat_of(call)
        if self.chats.messages[chat["id"]].pop(call.number("message_id"), None) is None:
            raise ApiError(400, "Bad Request: message to delete not found")
        return True

    def _send_document(self, call: Call) -> Json:
        chat = self.chat_of(call)
        given = str(call.params.get("document", "")).removeprefix("attach://")
        name, content = call.files[given or "document"]
        number = f"file{len(self.chats.files)}"
        self.chats.files[number] = content
        document = {
            "file_id": number,
            "file_unique_id": number,
            "file_name": name,
            "file_size": len(content),
        }
        return self.chats.message(
            chat,
            call.bot.me,
            document=document,
            reply_markup=self._markup(call),
            **self._references(call, chat),
        )

    def _chat_action(self, call: Call) -> bool:
        self.chat_of(call)
        return True

    def _draft(self, call: Call) -> bool:
        chat = self.chat_of(call)
        if chat["type"] != "private" or not call.number("draft_id"):
            raise ApiError(400, "Bad Request: drafts are for private chats")
        text, _ = self._checked_text(call)
        self.chats.drafts.append((chat["id"], text))
        return True

    # -- the rest --------------------------------------------------------------------------
    def _answer_query(self, call: Call) -> bool:
        number = str(call.params["callback_query_id"])
        if number not in call.bot.queries or number in call.bot.answered:
            raise ApiError(
                400,
                "Bad Request: query is too old and response timeout expired or query ID is invalid",
            )
        call.bot.answered.add(number)
        return True

    def _member(self, call: Call) -> Json:
        chat = self.chat_of(call)
        found = self.chats.members.get((chat["id"], call.number("user_id")))
        if found is None:
            raise ApiError(400, "Bad Request: member not found")
        return found

    def _get_chat(self, call: Call) -> Json:
        return self.chat_of(call) | {
            "accent_color_id": 0,
            "max_reaction_count": 11,
            "accepted_gift_types": {
                "unlimited_gifts": False,
                "limited_gifts": False,
                "unique_gifts": False,
                "premium_subscription": False,
                "gifts_from_channels": False,
            },
        }

    def _get_file(self, call: Call) -> Json:
        number = str(call.params["file_id"])
        if number not in self.chats.files:
            raise ApiError(400, "Bad Request: invalid file_id")
        return {
            "file_id": number,
            "file_unique_id": number,
            "file_size": len(self.chats.files[number]),
            "file_path": f"documents/{number}",
        }


def check_entities(text: str, entities: list[Json]) -> None:
    """Raises as Telegram does where a span is no whole stretch of the text, or lies half
    over another one, or within code."""
    encoded = text.encode("utf-16-le")
    spans = []
    for entity in entities:
        start, end = entity["offset"], entity["offset"] + entity["length"]
        if entity["type"] not in STYLES:
            raise ApiError(400, f"Bad Request: can't parse entities: {entity['type']}")
        if not 0 <= start < end <= utf16(text):
            raise ApiError(400, "Bad Request: can't parse entities: out of the text")
        try:
            encoded[2 * start : 2 * end].decode("utf-16-le")
        except UnicodeDecodeError as error:
            raise ApiError(400, "Bad Request: can't parse entities: half a character") from error
        spans.append((start, end, entity["type"]))
    for start, end, kind in spans:
        for a, b, other in spans:
            if start < a < end < b:
                raise ApiError(400, "Bad Request: can't parse entities: spans cross")
            inside = kind in ("code", "pre") and start <= a and b <= end and other != kind
            if inside and other != "blockquote":
                raise ApiError(400, "Bad Request: can't parse entities: a span within code")
