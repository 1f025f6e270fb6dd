"""Figures of a server or of everything, and what they cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.errors import SettingsError

MILLION = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """Model calls of one purpose with one model."""

    purpose: str
    model: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    seconds: float

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What happened in some places since some time. `people` spoke there then."""

    messages: int
    replies: int
    people: int
    places: int
    calls: tuple[Calls, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Spender:
    """What one server, group or person's conversation spent; `name` as people know it."""

    name: str
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What a million tokens cost, in whatever currency the operator thinks in."""

    prompt: float
    completion: float


Prices = Mapping[str, Price]
"""By the name of the model, as the endpoint knows it."""


def cost(calls: Sequence[Calls], prices: Prices) -> float:
    """What these calls cost, as far as their models have a price."""
    return sum(
        call.prompt_tokens / MILLION * prices[call.model].prompt
        + call.completion_tokens / MILLION * prices[call.model].completion
        for call in calls
        if call.model in prices
    )


def read_prices(text: str) -> dict[str, Price]:
    """ "gpt-x=0.15/0.60, other=1/2" as prices of a million prompt and completion tokens.
    Raises SettingsError."""
    prices: dict[str, Price] = {}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        model, equals, numbers = part.rpartition("=")
        prompt, slash, completion = numbers.removesuffix("per million").partition("/")
        try:
            price = Price(prompt=float(prompt), completion=float(completion))
        except ValueError:
            price = Price(prompt=-1, completion=-1)
        if not (equals and slash and model.strip()) or not _are_prices(price):
            raise SettingsError(
                "write model=PROMPT/COMPLETION, prices of a million tokens, like gpt-x=0.15/0.60"
            )
        prices[model.strip()] = price
    return prices


def _are_prices(price: Price) -> bool:
    return 0 <= price.prompt < MILLION and 0 <= price.completion < MILLION
