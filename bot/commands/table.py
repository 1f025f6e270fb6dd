"""The table of commands: what platforms offer, show help from, and parse typed lines with."""

from dataclasses import dataclass

from bot.commands import again, circle, mood, own_data, place, remembering, rumours
from bot.commands.call import Answer, Call, CommandError, CommandSpec, Option, Where, holds
from bot.commands.house.rows import HOUSE_COMMANDS
from bot.world import Place


async def show_help(call: Call) -> Answer:
    """The commands that the asker may give here."""
    rows = [
        f"{usage(spec)}  {spec.summary}"
        for spec in COMMANDS
        if is_allowed(spec, call)
        and is_offered(spec, call.place.where.key.platform)
        and fits(spec, call.place)
    ]
    return Answer(text="\n".join(rows))


async def about(call: Call) -> Answer:
    """What this is, in plain words."""
    return Answer(
        text=f"{call.persona.name} is a character played by a program: Bower, which is free "
        f"software run by whoever set it up here, with the language model "
        f"{call.desk.model_name}. It remembers conversations; /privacy says what is kept and "
        f"how to stop it. It can be wrong, and it is no substitute for people or for help."
    )


async def leave(call: Call) -> Answer:
    """The terminal ends by itself; elsewhere there is nothing to leave."""
    del call
    return Answer(text="")


COMMANDS: tuple[CommandSpec, ...] = (
    CommandSpec(name="help", summary="What you can type here.", handler=show_help, private=True),
    CommandSpec(name="about", summary="What you are talking to.", handler=about),
    CommandSpec(
        name="why",
        summary="What was recalled for the last reply, and why.",
        handler=remembering.why,
        private=True,
    ),
    CommandSpec(
        name="memories",
        summary="Your own words as they are kept.",
        handler=remembering.memories,
        options=(Option(name="about", summary="only those about this", rest=True),),
        private=True,
    ),
    CommandSpec(
        name="forget",
        summary="Remove your words for good; shows first what would go.",
        handler=own_data.forget,
        options=(
            Option(
                name="what",
                summary="the last exchange, the last hour here, or all of yours",
                choices=own_data.FORGET_CHOICES,
            ),
        ),
        private=True,
    ),
    CommandSpec(
        name="export",
        summary="Your own words and the replies, as a file.",
        handler=own_data.export,
        private=True,
    ),
    CommandSpec(
        name="privacy",
        summary="What is kept of you, and how to be left out.",
        handler=own_data.privacy,
        private=True,
    ),
    CommandSpec(
        name="correct",
        summary="Put a fact about yourself right.",
        handler=remembering.correct,
        options=(
            Option(
                name="fact", summary="what is true now, or: old -> new", required=True, rest=True
            ),
        ),
        private=True,
    ),
    CommandSpec(
        name="relationship",
        summary="How close you are, and how it came about.",
        handler=circle.relationship,
        options=(Option(name="name", summary="somebody else you talk with", rest=True),),
        private=True,
    ),
    CommandSpec(
        name="people",
        summary="Who has spoken here.",
        handler=circle.people,
        options=(
            Option(
                name="action",
                summary="all, one by name, or (admins) who is the same as whom",
                choices=("list", "show", "merge", "split"),
            ),
            Option(name="name", summary="whom to show, or numbers from the list", rest=True),
        ),
        private=True,
    ),
    CommandSpec(
        name="claims",
        summary="What is only hearsay here, and how it stands.",
        handler=rumours.claims,
        options=(
            Option(
                name="action",
                summary="all, or settle one (admins)",
                choices=("list", "confirm", "reject"),
            ),
            Option(name="number", summary="of the claim", rest=True),
        ),
        private=True,
    ),
    CommandSpec(
        name="scene",
        summary="What is here, and for how long.",
        handler=place.scene,
        options=(
            Option(name="action", summary="look, or set", choices=("show", "set")),
            Option(name="things", summary="fire: burning; window: closed", rest=True),
        ),
    ),
    CommandSpec(
        name="mood",
        summary="How the persona feels here, and what was felt of late.",
        handler=mood.mood,
    ),
    CommandSpec(
        name="reroll", summary="Have your last message answered anew.", handler=again.reroll
    ),
    CommandSpec(name="undo", summary="Take your last exchange back.", handler=again.undo),
    *HOUSE_COMMANDS,
    CommandSpec(name="quit", summary="End the conversation.", handler=leave, where=Where.TERMINAL),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedCommand:
    """A typed command, with its options by name."""

    name: str
    options: dict[str, str]


def find(name: str) -> CommandSpec | None:
    """The command of this name, if there is one."""
    return next((spec for spec in COMMANDS if spec.name == name.casefold()), None)


def usage(spec: CommandSpec) -> str:
    """How a command is typed: `/forget [this|hour|everything]`."""
    words = [f"/{spec.name}"]
    for option in spec.options:
        if option.file:
            continue
        word = "|".join(option.choices) or option.name
        words.append(word.upper() if option.required else f"[{word}]")
    return " ".join(words)


def is_allowed(spec: CommandSpec, call: Call) -> bool:
    """Whether whoever asks has the rights for a command."""
    return holds(call, spec.rights)


def is_offered(spec: CommandSpec, platform: str) -> bool:
    """Whether a platform has this command."""
    return spec.where is not Where.TERMINAL or platform == "terminal"


def fits(spec: CommandSpec, place: Place) -> bool:
    """Whether a command can be given in a place: some need a server or a group."""
    return spec.where is not Where.SERVER or place.is_shared


def parse_command(text: str) -> ParsedCommand:
    """Reads a line such as "/forget everything". Raises CommandError."""
    name, _, rest = text.strip().removeprefix("/").partition(" ")
    spec = find(name)
    if spec is None:
        raise CommandError(f"There is no command /{name}; /help lists them.")
    return ParsedCommand(name=spec.name, options=parse_options(spec, rest.strip()))


def parse_options(spec: CommandSpec, rest: str) -> dict[str, str]:
    """Assigns words to options in order; the last one may take the rest of the line."""
    options: dict[str, str] = {}
    for option in spec.options:
        if option.file:
            continue
        if option.rest:  # "/memories about cats" reads as well as "/memories cats"
            rest = rest.removeprefix(f"{option.name} ").strip()
        word, _, after = (rest, "", "") if option.rest else rest.partition(" ")
        rest = after.strip()
        if word:
            options[option.name] = checked(option, word, spec)
        elif option.required:
            raise CommandError(f"Type {usage(spec)}: {option.summary}.")
    if rest:
        raise CommandError(f"Too many words; type {usage(spec)}.")
    return options


def checked(option: Option, value: str, spec: CommandSpec) -> str:
    """The value as the handler expects it. Raises CommandError for one that is not offered."""
    if not option.choices:
        return value
    if value.casefold() not in option.choices:
        raise CommandError(f"Type {usage(spec)}; {value!r} is none of these.")
    return value.casefold()
