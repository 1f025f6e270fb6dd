"""/stats: what happened here, or everywhere, and what it cost."""

from datetime import timedelta

from bot.commands.call import Answer, Call, CommandError, rights_of
from bot.commands.house.budgets import spent_of
from bot.house.figures import Calls, Figures, Prices, cost
from bot.house.meter import Meter
from bot.messages import Command, Rights
from bot.text import counted

USUAL_DAYS = 30
MOST_DAYS = 3650


async def stats(call: Call) -> Answer:
    """An admin sees the own server; an operator, outside of servers, everything."""
    days = _days(call.args.get("days", ""))
    since = call.desk.clock.now() - timedelta(days=days)
    is_operator = rights_of(call) is Rights.OPERATOR
    prices = call.desk.house.plan.prices if is_operator else {}
    if call.place.is_shared:
        figures = await call.desk.storage.figures(call.place.id, since)
        rules = await call.desk.house.rules(call.place)
        today = spent_of(await call.desk.house.spent_today(call.place, rules), rules)
        more = [
            today,
            *_earshot(call),
            *(["Everything: /stats in a direct message."] * is_operator),
        ]
        title = "This server" if call.place.where.server_key else "This group"
    elif is_operator:
        figures = await call.desk.storage.figures(None, since)
        counts = await call.desk.storage.counts()
        kept = ", ".join(_kept(number, what) for what, number in counts.items())
        more = [f"Kept: {kept}.", *_running(call), *_earshot(call)]
        title = "Everything"
    else:
        raise CommandError("Give /stats in the server or group that it is about.")
    return Answer(text="\n".join([_said(title, days, figures), *_spent(figures, prices), *more]))


def _kept(number: int, what: str) -> str:
    one = "person" if what == "people" else what.removesuffix("s")
    return counted(number, one, what)


def _earshot(call: Call) -> list[str]:
    heard = call.inbound.earshot if isinstance(call.inbound, Command) else None
    return [heard.said] if heard else []


def _days(text: str) -> int:
    if not text:
        return USUAL_DAYS
    if not text.isascii() or not text.isdecimal() or not 1 <= int(text) <= MOST_DAYS:
        raise CommandError(f"Type /stats DAYS, a whole number from 1 to {MOST_DAYS}.")
    return int(text)


def _said(title: str, days: int, figures: Figures) -> str:
    return (
        f"{title}, in the last {days} days: {counted(figures.messages, 'message')} of "
        f"{counted(figures.people, 'person', 'people')} in {counted(figures.places, 'place')}, "
        f"{counted(figures.replies, 'reply', 'replies')}."
    )


def _spent(figures: Figures, prices: Prices) -> list[str]:
    if not figures.calls:
        return ["No model was called."]
    rows = ["Model calls by purpose:", *(_call_row(call, prices) for call in figures.calls)]
    if prices:
        unknown = sorted({call.model for call in figures.calls} - set(prices))
        without = f" (without {', '.join(unknown)}: no price is set)" if unknown else ""
        rows.append(f"Cost: {cost(figures.calls, prices):,.2f}{without}.")
    return rows


def _call_row(call: Calls, prices: Prices) -> str:
    price = f", {cost([call], prices):,.2f}" if call.model in prices else ""
    return (
        f"- {call.purpose} ({call.model}): {call.calls:,} calls, {call.prompt_tokens:,} + "
        f"{call.completion_tokens:,} tokens, {call.seconds / call.calls:.1f} s each{price}"
    )


def _running(call: Call) -> list[str]:
    meter = call.desk.meter
    hours = (call.desk.clock.now() - meter.started).total_seconds() / 3600
    ignored = ", ".join(f"{number:,} {reason}" for reason, number in meter.ignored.most_common())
    return [
        f"Since the start {hours:,.1f} hours ago: {meter.received:,} messages kept, "
        f"{meter.answered:,} answers ({meter.apologies:,} apologies), {meter.commands:,} commands; "
        f"not answered: {ignored or 'none'}.",
        f"An answer takes {_seconds(meter, 0.5)} (half of them), {_seconds(meter, 0.95)} (19 of "
        f"20); the event loop lags {_milliseconds(meter)} (99 of 100).",
    ]


def _seconds(meter: Meter, share: float) -> str:
    value = meter.answer_seconds(share)
    return "–" if value is None else f"{value:.1f} s"  # noqa: RUF001 - a dash for no value


def _milliseconds(meter: Meter) -> str:
    value = meter.lag_seconds(0.99)
    return "an unknown time" if value is None else f"{value * 1000:.0f} ms"
