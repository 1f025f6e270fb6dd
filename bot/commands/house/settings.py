"""/settings: what holds here, and changing it."""

from bot.commands.call import Answer, Call, CommandError
from bot.commands.house.notes import level_of, note, target_of, there
from bot.errors import SettingsError
from bot.house.rules import Found
from bot.house.table import SETTINGS, Level, SettingSpec, read_setting
from bot.messages import Command
from bot.world import Answers

RESET = "reset"


async def settings(call: Call) -> Answer:
    """Shows all settings, one, or changes one."""
    name, value = call.args.get("name"), call.args.get("value", "").strip()
    if not name:
        return await _all(call)
    if not value:
        found = (await call.desk.house.settings(call.place))[name]
        return Answer(text=f"{_row(SETTINGS[name], found)}\nChange it: {_typed(SETTINGS[name])}")
    return await _change(call, SETTINGS[name], value)


async def _all(call: Call) -> Answer:
    found = await call.desk.house.settings(call.place)
    rows = [_row(spec, found[name]) for name, spec in SETTINGS.items()]
    rules = await call.desk.house.rules(call.place)
    more = ["Paused: /resume ends it."] * rules.paused
    if rules.muted:
        more.append(f"Muted members: {len(rules.muted)}; /mute lists them.")
    head = "What holds here (change: /settings NAME VALUE, with server at the end for all of it):"
    return Answer(text="\n".join([head, *rows, *more]))


def _row(spec: SettingSpec, found: Found) -> str:
    origin = {Level.PLACE: "set here", Level.SERVER: "of the server", Level.ALL: "of all servers"}
    whence = origin[found.level] if found.level else "default"
    whence = "set for the channel of this thread" if found.inherited else whence
    return f"- {spec.name} = {found.text} ({whence}): {spec.summary}"


def _typed(spec: SettingSpec) -> str:
    return f"/settings {spec.name} {spec.form}, or {RESET}."


async def _change(call: Call, spec: SettingSpec, text: str) -> Answer:
    house, place = call.desk.house, call.place
    level = level_of(call, spec.level)
    if spec.level is Level.SERVER and level is Level.PLACE:
        if place.where.server_key:
            raise CommandError(f"{spec.name} holds in the whole server; leave out here.")
        level = Level.SERVER
    try:
        value = None if text.casefold() == RESET else read_setting(spec.name, text)
    except SettingsError as error:
        raise CommandError(str(error)) from error
    await house.change(place, level, spec.name, value)
    if level is not Level.ALL and not (level is Level.SERVER and place.where.server_key):
        await _open(call, spec.name, value)
    await note(call, "setting", target_of(place, level), f"{spec.name} = {value or RESET}")
    now = (await house.settings(await call.desk.storage.place(call.inbound.where)))[spec.name]
    hidden = (
        "" if now.text == value or value is None else f" Here it stays {now.text}, as set here."
    )
    return Answer(
        text=f"{spec.name} is {value or now.text} now, {there(place, level)}.{hidden}"
        f"{_caution(call, spec.name, value)}"
    )


async def _open(call: Call, name: str, value: str | None) -> None:
    """These two are also kept with the place itself."""
    place = call.place
    if name == "speak":
        answers = Answers(value or Answers.ADDRESSED)
        await call.desk.storage.open_place(place.id, listens=place.listens, answers=answers)
    elif name == "opened":
        await call.desk.storage.open_place(place.id, listens=value == "yes", answers=place.answers)


def _caution(call: Call, name: str, value: str | None) -> str:
    if name == "rating" and value == "mature" and not call.place.where.age_restricted:
        return " This place is not age-restricted on its platform, so it stays general here."
    if name == "opened" and value == "yes":
        return (
            " Tell people: what they say here is kept from now on; /privacy lets each opt out."
            f"{_deafness(call)}"
        )
    if name == "speak" and value == Answers.ALWAYS:
        return _deafness(call)
    if name == "retention" and value and value != "0":
        return " What is older is forgotten within a day, for good."
    return ""


def _deafness(call: Call) -> str:
    """What an admin has to do besides, where the platform lets the bot hear little."""
    heard = call.inbound.earshot if isinstance(call.inbound, Command) else None
    return "" if heard is None or heard.everything else f" {heard.said}"
