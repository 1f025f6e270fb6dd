"""Runs a command or a pressed button: rights first, then the handler, then the answer."""

import logging
from collections.abc import Mapping, Sequence

from bot.commands import own_data
from bot.commands.call import Answer, Call, CommandError, CommandSpec, Desk, Handler
from bot.commands.house import linking, resetting
from bot.commands.table import checked, find, fits, is_allowed, is_offered, usage
from bot.errors import Undeliverable
from bot.messages import Command, Press, Reply
from bot.persona import Persona
from bot.ports import Send

log = logging.getLogger(__name__)

PRESSES: Mapping[str, Handler] = {
    "forget": own_data.press_forget,
    "keep": own_data.press_keep,
    "privacy": own_data.press_privacy,
    "link": linking.press_link,
    "reset": resetting.press_reset,
}
"""What buttons do, by the first word of their data. All their answers are private."""


CATCH_UP_SECONDS = 1.0
"""So long a command waits for what was just said there to be learnt, so that it knows of it."""


async def run_command(desk: Desk, command: Command, present: Sequence[Persona], send: Send) -> None:
    """Answers one command. A handler's BotError becomes the answer."""
    call = await _call(desk, command, dict(command.options), present, send)
    spec = find(command.name)
    if spec is None or not is_offered(spec, command.where.key.platform):
        answer, private = (
            Answer(text=f"There is no command /{command.name} here; /help lists them."),
            True,
        )
    elif not is_allowed(spec, call):
        answer, private = Answer(text=f"/{spec.name} is for {spec.rights}s."), True
    elif not fits(spec, call.place):
        text = f"Give /{spec.name} in the server or group that it is about."
        answer, private = Answer(text=text), True
    else:
        private = spec.private
        await desk.learning.caught_up(call.place.id, seconds=CATCH_UP_SECONDS)
        try:
            answer = await spec.handler(_with_checked_options(call, spec))
        except CommandError as error:
            answer, private = Answer(text=str(error)), True
    await _say(answer, private=private, command=command, send=send)


def _with_checked_options(call: Call, spec: CommandSpec) -> Call:
    """Platforms check options too, but not all and not always. Raises CommandError."""
    for option in spec.options:
        if value := call.args.get(option.name):
            call.args[option.name] = checked(option, value, spec)
        elif option.required:
            raise CommandError(f"Type {usage(spec)}: {option.summary}.")
    return call


async def run_press(desk: Desk, press: Press, present: Sequence[Persona], send: Send) -> None:
    """Answers a pressed button; one that nobody knows any more says so."""
    words = press.data.split(":")
    args = {str(n): word for n, word in enumerate(words)}
    handler = PRESSES.get(words[0])
    call = await _call(desk, press, args, present, send)
    try:
        answer = await handler(call) if handler else Answer(text="That button is out of date.")
    except (KeyError, ValueError):
        log.warning("A button carried data that no handler reads.")
        answer = Answer(text="That button is out of date.")
    await _say(answer, private=True, command=press, send=send)


async def _call(
    desk: Desk,
    inbound: Command | Press,
    args: dict[str, str],
    present: Sequence[Persona],
    send: Send,
) -> Call:
    return Call(
        desk=desk,
        inbound=inbound,
        args=args,
        place=await desk.storage.place(inbound.where),
        persona=present[0],
        person=await desk.storage.person(inbound.author.account),
        send=send,
    )


async def _say(answer: Answer, *, private: bool, command: Command | Press, send: Send) -> None:
    if not answer.text and not answer.files:
        return
    reply = Reply(
        text=answer.text,
        nonce=f"c:{command.id}"[-25:],
        private=private,
        buttons=answer.buttons,
        files=answer.files,
    )
    try:
        await send(reply)
    except Undeliverable as error:
        log.warning("An answer to a command could not be delivered: %s", error)
