"""What admins do is written down: who, what, where; never what anybody said."""

import logging

from bot.commands.call import Call, CommandError, Option, rights_of
from bot.house.deeds import Deed
from bot.house.table import Level
from bot.messages import Rights
from bot.world import Place

log = logging.getLogger(__name__)

LEVELS = tuple(level.value for level in Level)

WHERE = Option(
    name="where", summary="in this place alone, or in the whole server", choices=LEVELS[:2]
)


async def note(call: Call, action: str, target: str, detail: str = "") -> None:
    """Keeps and logs a deed."""
    actor = str(call.inbound.author.account)
    at = call.desk.clock.now()
    await call.desk.storage.noted(
        Deed(at=at, actor=actor, action=action, target=target, detail=detail)
    )
    log.info("%s (%s) did: %s %s %s", actor, rights_of(call), action, target, detail)


def level_of(call: Call, default: Level = Level.PLACE) -> Level:
    """Where a command is to hold. Raises CommandError for `everywhere` by others than
    operators."""
    level = Level(call.args.get("where") or default)
    if level is Level.ALL and rights_of(call) is not Rights.OPERATOR:
        raise CommandError("Only operators decide for everywhere.")
    return level


def target_of(place: Place, level: Level) -> str:
    """Place or server by its id."""
    if level is Level.ALL:
        return "everywhere"
    if level is Level.SERVER and place.where.server_key:
        return f"server {place.where.server_key}"
    return f"place {place.id}"


def there(place: Place, level: Level) -> str:
    """Where something holds, in words."""
    if level is Level.SERVER and place.where.server_key:
        return "in the whole server"
    return "everywhere" if level is Level.ALL else "here"
