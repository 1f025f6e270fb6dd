"""The platform as the settings and the parts of the program want it."""

from collections.abc import Iterator, Mapping, Sequence

from adapters.discord.account import Login, Options
from adapters.discord.platform import DiscordPlatform
from adapters.settings import Settings
from bot.cast import find_persona
from bot.parts import Parts
from bot.persona import Persona
from bot.ports import Platform, Storage


class StoredMemo:
    """A memo among the settings of the installation."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage

    async def get(self, name: str) -> str | None:
        return await self._storage.setting(None, name)

    async def set(self, name: str, value: str) -> None:
        await self._storage.set_setting(None, name, value)


class ByName(Mapping[str, str]):
    """Something of each persona by its display name, as the personas are at that moment."""

    def __init__(self, personas: Mapping[str, Persona], *, avatars: bool = False) -> None:
        self._personas = personas
        self._avatars = avatars

    def __getitem__(self, name: str) -> str:
        return self._now()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._now())

    def __len__(self) -> int:
        return len(self._now())

    def _now(self) -> dict[str, str]:
        if self._avatars:
            return {one.name: one.avatar for one in self._personas.values() if _is_address(one)}
        return {one.name: key for key, one in self._personas.items()}


def make_platforms(settings: Settings, parts: Parts) -> Sequence[Platform]:
    """One platform for all tokens. Raises SettingsError where a token names no persona."""
    logins = [
        Login(
            token=one.token.get_secret_value(),
            persona=find_persona(parts.personas, one.persona, parts.personas.broken)
            if one.persona
            else None,
        )
        for one in settings.discord_token
    ]
    if not logins:
        return ()
    options = Options(
        keys=ByName(parts.personas),
        avatars=ByName(parts.personas, avatars=True),
        default_persona=parts.remembering.default_persona,
        owners=settings.owners,
        clock=parts.clock,
        memo=StoredMemo(parts.storage),
    )
    return [
        DiscordPlatform(
            logins,
            options,
            api_url=settings.discord_api_url,
            gateway_url=settings.discord_gateway_url,
        )
    ]


def _is_address(persona: Persona) -> bool:
    return persona.avatar.startswith("https://")
