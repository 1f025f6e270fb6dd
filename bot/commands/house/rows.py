"""The rows of the command table for the house."""

from bot.commands.call import CommandSpec, Option, Where
from bot.commands.house import budgets, linking, members, pausing, personas, resetting, stats
from bot.commands.house.notes import LEVELS, WHERE
from bot.commands.house.settings import settings
from bot.house.table import SETTINGS
from bot.messages import Rights

_MEMBER = Option(
    name="member", summary="a mention, a name, or an account as platform:id", rest=True
)

HOUSE_COMMANDS: tuple[CommandSpec, ...] = (
    CommandSpec(
        name="link",
        summary="Join your accounts here and on another platform.",
        handler=linking.link,
        options=(Option(name="code", summary="the code from your other account", rest=True),),
        private=True,
    ),
    CommandSpec(
        name="unlink",
        summary="Take your linked accounts apart again.",
        handler=linking.unlink,
        private=True,
    ),
    CommandSpec(
        name="persona",
        summary="Who speaks here: list the personas, show, choose or import one.",
        handler=personas.persona,
        options=(
            Option(name="what", summary="list, use, show or import one", choices=personas.WHAT),
            Option(name="name", summary="its name or key, or default", rest=True),
            Option(name="card", summary="to import: PNG, JSON or CHARX", file=True),
        ),
        rights=Rights.ADMIN,
        where=Where.SERVER,
    ),
    CommandSpec(
        name="settings",
        summary="What holds here, and changing it.",
        handler=settings,
        options=(
            Option(name="name", summary="which setting", choices=tuple(SETTINGS)),
            Option(name="value", summary="the new value, or reset"),
            Option(
                name="where",
                summary="here alone, the whole server, or (operators) everywhere",
                choices=LEVELS,
            ),
        ),
        rights=Rights.ADMIN,
        private=True,
        where=Where.SERVER,
    ),
    CommandSpec(
        name="mute",
        summary="Have a member ignored; without a name, list those who are.",
        handler=members.mute,
        options=(_MEMBER,),
        rights=Rights.ADMIN,
        private=True,
        where=Where.SERVER,
    ),
    CommandSpec(
        name="unmute",
        summary="Have a member answered again.",
        handler=members.unmute,
        options=(_MEMBER,),
        rights=Rights.ADMIN,
        private=True,
        where=Where.SERVER,
    ),
    CommandSpec(
        name="pause",
        summary="Nobody is answered and nothing new is kept, until /resume.",
        handler=pausing.pause,
        options=(WHERE,),
        rights=Rights.ADMIN,
        where=Where.SERVER,
    ),
    CommandSpec(
        name="resume",
        summary="End /pause.",
        handler=pausing.resume,
        options=(WHERE,),
        rights=Rights.ADMIN,
        where=Where.SERVER,
    ),
    CommandSpec(
        name="reset",
        summary="Forget all that was said here; shows first what would go.",
        handler=resetting.reset,
        options=(WHERE,),
        rights=Rights.ADMIN,
        private=True,
        where=Where.SERVER,
    ),
    CommandSpec(
        name="stats",
        summary="Messages, people and model calls here; for operators, everywhere.",
        handler=stats.stats,
        options=(Option(name="days", summary="how far back, in days"),),
        rights=Rights.ADMIN,
        private=True,
    ),
    CommandSpec(
        name="budget",
        summary="Tokens that this server may spend in a day.",
        handler=budgets.budget,
        options=(Option(name="tokens", summary="a whole number, none, or default"),),
        rights=Rights.OPERATOR,
        private=True,
    ),
)
