"""The JSON that Discord sends, complete enough for its own OpenAPI description."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

Json = dict[str, Any]

EPOCH_MS = 1_420_070_400_000
APPLICATION = "900000000000000001"
BOT = "800000000000000001"
EVERYBODY_READS = str((1 << 10) | (1 << 11) | (1 << 16))
VIEW_CHANNEL = str(1 << 10)
ALL_FLAGS = (1 << 19) | (1 << 15)  # message content and members, as small bots have them
EPHEMERAL = 64


def user(id_: str, name: str, *, bot: bool = False) -> Json:
    return {
        "id": id_,
        "username": name,
        "global_name": None,
        "avatar": None,
        "discriminator": "0",
        "public_flags": 0,
        "flags": 0,
        "bot": bot,
        "primary_guild": None,
    }


def own_user(name: str) -> Json:
    return {**user(BOT, name, bot=True), "mfa_enabled": True, "locale": "en-US"}


def application(flags: int) -> Json:
    return {
        "id": APPLICATION,
        "name": "Bower",
        "icon": None,
        "description": "",
        "type": None,
        "verify_key": "00" * 32,
        "flags": flags,
        "flags_new": str(flags),
        "bot_public": True,
        "bot_require_code_grant": False,
        "redirect_uris": [],
        "interactions_endpoint_url": None,
        "role_connections_verification_url": None,
        "owner": user("700000000000000001", "operator"),
        "approximate_guild_count": 1,
        "approximate_user_install_count": 0,
        "approximate_user_authorization_count": 0,
        "explicit_content_filter": 0,
        "team": None,
        "eligible_oauth2_scopes": [],
    }


def role(id_: str, name: str, permissions: str) -> Json:
    return {
        "id": id_,
        "name": name,
        "permissions": permissions,
        "color": 0,
        "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
        "hoist": False,
        "position": 0,
        "managed": False,
        "mentionable": False,
        "flags": 0,
    }


def member(of: Json, *, nick: str | None = None) -> Json:
    return {
        "user": of,
        "nick": nick,
        "avatar": None,
        "roles": [],
        "joined_at": "2026-01-01T00:00:00+00:00",
        "premium_since": None,
        "deaf": False,
        "mute": False,
        "flags": 0,
    }


def guild(id_: str, name: str, owner: str, members: Sequence[Json]) -> Json:
    return {
        "id": id_,
        "name": name,
        "owner_id": owner,
        "unavailable": False,
        "member_count": len(members),
        "large": False,
        "members": list(members),
        "roles": [role(id_, "@everyone", EVERYBODY_READS)],
        "channels": [],
        "threads": [],
        "emojis": [],
        "stickers": [],
        "features": [],
        "premium_tier": 0,
        "verification_level": 0,
        "default_message_notifications": 0,
        "explicit_content_filter": 0,
        "mfa_level": 0,
        "nsfw_level": 0,
        "preferred_locale": "en-US",
        "system_channel_flags": 0,
        "afk_timeout": 300,
    }


def text_channel(id_: str, guild_id: str, name: str, *, private: bool, nsfw: bool) -> Json:
    hidden = {"id": guild_id, "type": 0, "allow": "0", "deny": VIEW_CHANNEL}
    return {
        "id": id_,
        "type": 0,
        "flags": 0,
        "guild_id": guild_id,
        "name": name,
        "position": 0,
        "nsfw": nsfw,
        "parent_id": None,
        "permission_overwrites": [hidden] if private else [],
        "rate_limit_per_user": 0,
        "topic": None,
        "last_message_id": None,
    }


def thread(id_: str, parent: Json, name: str, *, private: bool) -> Json:
    return {
        "id": id_,
        "type": 12 if private else 11,
        "flags": 0,
        "guild_id": parent["guild_id"],
        "parent_id": parent["id"],
        "owner_id": BOT,
        "name": name,
        "message_count": 0,
        "member_count": 1,
        "total_message_sent": 0,
        "rate_limit_per_user": 0,
        "last_message_id": None,
        "thread_metadata": {
            "archived": False,
            "auto_archive_duration": 1440,
            "archive_timestamp": "2026-01-01T00:00:00+00:00",
            "locked": False,
        },
    }


def dm_channel(id_: str, with_: Json) -> Json:
    return {"id": id_, "type": 1, "flags": 0, "recipients": [with_], "last_message_id": None}


def message(id_: str, channel: str, author: Json, content: str, at: datetime) -> Json:
    return {
        "id": id_,
        "channel_id": channel,
        "type": 0,
        "content": content,
        "author": author,
        "timestamp": at.astimezone(UTC).isoformat(),
        "edited_timestamp": None,
        "mentions": [],
        "mention_roles": [],
        "mention_everyone": False,
        "attachments": [],
        "embeds": [],
        "components": [],
        "flags": 0,
        "pinned": False,
        "tts": False,
    }


def attachment(id_: str, name: str, size: int, url: str, content_type: str | None) -> Json:
    made: Json = {"id": id_, "filename": name, "size": size, "url": url, "proxy_url": url}
    return {**made, "content_type": content_type} if content_type else made


def webhook(id_: str, channel: str, name: str) -> Json:
    return {
        "id": id_,
        "type": 1,
        "name": name,
        "avatar": None,
        "channel_id": channel,
        "application_id": APPLICATION,
        "token": f"secret-{id_}",
        "user": user(BOT, "bower", bot=True),
    }
