"""What the operator decides: environment variables and the file `.env`, read and checked once."""

import difflib
import io
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Self
from zoneinfo import ZoneInfo

from dotenv.parser import parse_stream
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from bot.errors import SettingsError
from bot.house.figures import Price, read_prices
from bot.house.plan import Plan
from bot.stream.bonds import WeightRule
from bot.stream.claims import ClaimReading
from bot.world import AccountKey

ENV_FILE = Path(".env")
"""Read from the current folder; the environment goes before it."""

PERSONAS = Path(__file__).resolve().parent.parent / "personas"

BUNDLED = "bundled"
MULTILINGUAL = "multilingual"

OTHERS_IN_ENV_FILE = ("COMPOSE_", "TORCH_", "OMP_", "HF_", "TOKENIZERS_", "PYTHON", "HTTP", "NO_")
"""Beginnings of names that other programs read from the same file."""


class SystemRole(StrEnum):
    """How an endpoint wants its instructions."""

    SYSTEM = "system"
    DEVELOPER = "developer"
    MERGED = "merged"  # no such role there: they go before the first user message


class LogLevel(StrEnum):
    DEBUG = "DEBUG"
    INFO = "INFO"
    WARNING = "WARNING"
    ERROR = "ERROR"


class ModelName(BaseModel):
    """A language model: its name, and its address where that is not OPENAI_BASE_URL.

    The key is only ever sent to OPENAI_BASE_URL. The name `bundled` is the embedded model.
    """

    model_config = ConfigDict(frozen=True)

    name: str
    base_url: str | None = None


class ScoredBy(StrEnum):
    """What tells how a text feels."""

    LOCAL = "local"  # the heads on the sentence vectors
    MODEL = "model"  # SMALL_MODEL, or MODEL, is asked


class BotToken(BaseModel):
    """One bot account; it plays `persona` if that is set, otherwise the default persona."""

    model_config = ConfigDict(frozen=True)

    token: SecretStr
    persona: str | None = None


Names = Annotated[tuple[ModelName, ...], NoDecode]
Tokens = Annotated[tuple[BotToken, ...], NoDecode]
Prices = Annotated[tuple[tuple[str, Price], ...], NoDecode]


class Settings(BaseSettings):
    """All settings. `.env.example` says what each is for; a test compares the two."""

    model_config = SettingsConfigDict(
        env_file_encoding="utf-8-sig",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        str_strip_whitespace=True,
    )

    database: Path = Path("data/bower.db")
    personas: Path = PERSONAS
    persona: str | None = None

    openai_base_url: str | None = None
    openai_api_key: SecretStr | None = None
    model: str | None = None
    model_fallbacks: Names = ()
    small_model: str | None = None
    small_model_fallbacks: Names = ()
    context_tokens: Annotated[int, Field(ge=1024, le=4_000_000)] = 8192
    model_system_role: SystemRole = SystemRole.SYSTEM
    local_model: str | None = None
    embedding_model: str = BUNDLED
    emotion_scorer: ScoredBy = ScoredBy.LOCAL

    discord_token: Tokens = ()
    telegram_token: Tokens = ()
    discord_api_url: str | None = None
    discord_gateway_url: str | None = None
    telegram_api_url: str | None = None
    telegram_webhook_url: str | None = None
    telegram_webhook_listen: str = "127.0.0.1:8443"

    help_lines: str = ""
    owners: Annotated[frozenset[AccountKey], NoDecode] = frozenset()
    burst_seconds: Annotated[float, Field(ge=0, le=60)] = 1.2
    stale_minutes: Annotated[float, Field(ge=0, le=100_000)] = 60
    reply_tokens: Annotated[int, Field(ge=16, le=8192)] = 300
    persona_turns: Annotated[int, Field(ge=0, le=100)] = 4
    persona_turns_per_minute: Annotated[int, Field(ge=1, le=600)] = 6
    weight_rule: WeightRule = WeightRule.TOWARD
    claim_confirmations: Annotated[int, Field(ge=1, le=20)] = 2
    claim_days: Annotated[float, Field(gt=0, le=3650)] = 7
    claim_reading: ClaimReading = ClaimReading.UNVERIFIED
    time_zone: str = "UTC"
    budget_tokens: Annotated[int, Field(ge=0, le=10**12)] | None = None
    prices: Prices = ()
    purge_days: Annotated[float, Field(ge=0, le=36_500)] = 30
    health_host: str = "127.0.0.1"
    health_port: Annotated[int, Field(ge=1, le=65_535)] | None = None
    log_level: LogLevel | None = None

    @field_validator("model_fallbacks", "small_model_fallbacks", mode="before")
    @classmethod
    def _models(cls, value: object) -> object:
        return tuple(_model_name(part) for part in _parts(value)) if _is_text(value) else value

    @field_validator("discord_token", "telegram_token", mode="before")
    @classmethod
    def _tokens(cls, value: object) -> object:
        return tuple(_bot_token(part) for part in _parts(value)) if _is_text(value) else value

    @field_validator("prices", mode="before")
    @classmethod
    def _prices(cls, value: object) -> object:
        try:
            return tuple(read_prices(str(value)).items()) if _is_text(value) else value
        except SettingsError as error:
            raise ValueError(str(error)) from error

    @field_validator("owners", mode="before")
    @classmethod
    def _accounts(cls, value: object) -> object:
        return frozenset(read_account(part) for part in _parts(value)) if _is_text(value) else value

    @field_validator(
        "openai_base_url", "discord_api_url", "discord_gateway_url", "telegram_api_url"
    )
    @classmethod
    def _address(cls, value: str | None) -> str | None:
        if value is not None and not value.startswith(("http://", "https://", "ws://", "wss://")):
            raise ValueError("it must begin with http:// or https://")
        return value

    @field_validator("telegram_webhook_url")
    @classmethod
    def _secure_address(cls, value: str | None) -> str | None:
        if value is not None and not value.startswith("https://"):
            raise ValueError("Telegram calls nothing but addresses that begin with https://")
        return value

    @field_validator("telegram_webhook_listen")
    @classmethod
    def _host_and_port(cls, value: str) -> str:
        host, _, port = value.rpartition(":")
        if not host or not port.isdecimal() or not 0 < int(port) < 65536:
            raise ValueError("write host:port, like 127.0.0.1:8443")
        return value

    @field_validator("database", "personas")
    @classmethod
    def _home(cls, value: Path) -> Path:
        return value.expanduser()

    @field_validator("log_level", mode="before")
    @classmethod
    def _upper(cls, value: object) -> object:
        return value.upper() if isinstance(value, str) else value

    @field_validator("time_zone")
    @classmethod
    def _known_zone(cls, value: str) -> str:
        try:
            ZoneInfo(value)
        except (KeyError, ValueError, OSError) as error:
            raise ValueError("there is no such time zone; write one like Europe/Lisbon") from error
        return value

    @model_validator(mode="after")
    def _whole_endpoint(self) -> Self:
        if self.model and not (self.openai_base_url or self.openai_api_key):
            raise ValueError(
                "MODEL is set, but neither OPENAI_BASE_URL nor OPENAI_API_KEY is: set the address"
                " of your endpoint or a key for OpenAI, or clear MODEL to use the bundled model"
            )
        if self.openai_base_url and not self.model:
            raise ValueError(
                "OPENAI_BASE_URL is set, but MODEL is not: set MODEL to a name that the endpoint"
                " offers, or clear OPENAI_BASE_URL to use the bundled model"
            )
        if self.emotion_scorer is ScoredBy.MODEL and not self.model:
            raise ValueError(
                "EMOTION_SCORER is model, but MODEL is not set, and the bundled one cannot judge:"
                " set MODEL, or EMOTION_SCORER=local"
            )
        if self.small_model and not self.model:
            raise ValueError(
                "SMALL_MODEL is set, but MODEL is not: set MODEL as well, or clear SMALL_MODEL"
            )
        return self

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.time_zone)

    @property
    def plan(self) -> Plan:
        """What is decided here for every server and place."""
        return Plan(
            time_zone=self.time_zone,
            budget_tokens=self.budget_tokens,
            prices=dict(self.prices),
            purge_days=self.purge_days,
        )

    @property
    def uses_bundled_model(self) -> bool:
        return not self.model


def read_settings(env_file: Path = ENV_FILE) -> Settings:
    """The settings from the environment and, behind it, from the file.

    Raises SettingsError: one sentence that names the variable and the remedy.
    """
    _names_in(env_file)
    try:
        return Settings(_env_file=env_file)  # type: ignore[call-arg]  # pydantic-settings' own
    except ValidationError as error:
        raise SettingsError(_explain(error)) from None  # the cause repeats values: secrets


def notices(settings: Settings, env_file: Path = ENV_FILE) -> list[str]:
    """What is probably not meant, one sentence each; nothing of it stops the program."""
    said = [_misspelt(name) for name in _names_in(env_file)]
    if settings.openai_api_key and not settings.model:
        said.append(
            "OPENAI_API_KEY is set, but MODEL is not, so the bundled model answers:"
            " set MODEL to the name of a model to use your key."
        )
    return [sentence for sentence in said if sentence]


def read_account(text: str) -> AccountKey:
    """ "discord:123" as an account. Raises ValueError with a sentence."""
    platform, colon, user = (part.strip() for part in text.partition(":"))
    if not (platform and colon and user):
        raise ValueError(f'"{text}" is no account; write platform:id, like discord:123')
    return AccountKey(platform=platform.lower(), user=user)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _parts(value: object) -> list[str]:
    return [part.strip() for part in str(value).split(",") if part.strip()]


def _model_name(part: str) -> ModelName:
    for scheme in ("@http://", "@https://"):
        name, found, rest = part.partition(scheme)
        if found:
            return ModelName(name=name, base_url=scheme[1:] + rest)
    return ModelName(name=part)


def _bot_token(part: str) -> BotToken:
    persona, equals, token = (piece.strip() for piece in part.partition("="))
    if equals and not (persona and token):
        raise ValueError("write a token, or persona=token, separated by commas")
    return (
        BotToken(token=SecretStr(token), persona=persona)
        if equals
        else BotToken(token=SecretStr(part))
    )


def _names_in(env_file: Path) -> Sequence[str]:
    """The names that the file sets. Raises SettingsError if it cannot be read."""
    if not env_file.exists():
        return []
    if not env_file.is_file():
        raise SettingsError(f"{env_file} is a folder; put the settings in a file of that name.")
    try:
        text = env_file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise SettingsError(f"{env_file} is not UTF-8; save it with that encoding.") from None
    except OSError as error:
        raise SettingsError(f"{env_file} cannot be read: {error.strerror}.") from error
    names: list[str] = []
    for binding in parse_stream(io.StringIO(text)):
        if binding.error:
            raise SettingsError(
                f"{env_file}, line {binding.original.line}: this is not NAME=value; mend the line."
            )
        if binding.key:
            names.append(binding.key)
    return names


def _misspelt(name: str) -> str:
    known = [field.upper() for field in Settings.model_fields]
    if name.upper() in known or name.upper().startswith(OTHERS_IN_ENV_FILE):
        return ""
    close = difflib.get_close_matches(name.upper(), known, n=1)
    return f"{name} in .env is no setting; did you mean {close[0]}?" if close else ""


def _explain(error: ValidationError) -> str:
    """The first problem as a sentence. Never the value: it may be a secret."""
    problem = error.errors(include_url=False, include_input=False)[0]
    reason = str(problem["msg"]).removeprefix("Value error, ").rstrip(".")
    if not problem["loc"]:
        return f"{reason}."
    name = str(problem["loc"][0]).upper()
    return f"{name} cannot be used: {reason[0].lower()}{reason[1:]}; see .env.example."
