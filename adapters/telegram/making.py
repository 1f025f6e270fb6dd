"""The platform as the settings and the parts of the program want it."""

from collections.abc import Callable, Sequence

from adapters.settings import BotToken, Settings
from adapters.telegram.account import Login, Options
from adapters.telegram.inbound.people import PLATFORM
from adapters.telegram.platform import TelegramPlatform
from adapters.telegram.webhook import Webhook
from bot.cast import find_persona
from bot.parts import Parts
from bot.persona import Persona
from bot.ports import Platform


def make_platforms(settings: Settings, parts: Parts) -> Sequence[Platform]:
    """One platform for all tokens. Raises SettingsError where a token names no persona."""
    if not settings.telegram_token:
        return ()
    owners = [one.user for one in settings.owners if one.platform == PLATFORM]
    options = Options(
        clock=parts.clock,
        api_url=settings.telegram_api_url,
        operators=[int(user) for user in sorted(owners) if user.isdecimal()],
    )
    logins = [_login(one, parts) for one in settings.telegram_token]
    return [TelegramPlatform(logins, options, webhook=_webhook(settings))]


def _login(given: BotToken, parts: Parts) -> Login:
    key = (
        find_persona(parts.personas, given.persona, parts.personas.broken)
        if given.persona
        else None
    )
    return Login(
        token=given.token.get_secret_value(), character=_character(key, parts), persona=key
    )


def _character(key: str | None, parts: Parts) -> Callable[[], Persona]:
    """The persona as its file is at that moment; the default one if it is gone."""
    default = parts.remembering.default_persona

    def character() -> Persona:
        return parts.personas.get(key or default) or parts.personas[default]

    return character


def _webhook(settings: Settings) -> Webhook | None:
    if settings.telegram_webhook_url is None:
        return None
    host, _, port = settings.telegram_webhook_listen.rpartition(":")
    return Webhook(url=settings.telegram_webhook_url, host=host.strip("[]"), port=int(port))
