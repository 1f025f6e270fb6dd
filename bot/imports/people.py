"""Who the speakers of a file become: the persona, an account, or people of that import."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bot.errors import SettingsError
from bot.imports.conversation import Conversation
from bot.persona import Persona
from bot.ports import Storage
from bot.world import AccountKey

_EXAMPLE = "write it as NAME=PLATFORM:ID, such as Ana=discord:123456789"


def read_map(items: Iterable[str]) -> dict[str, AccountKey]:
    """The accounts given by `--map Ana=discord:123`, by name.

    Raises SettingsError for an item of another form, or a name with two accounts.
    """
    found: dict[str, AccountKey] = {}
    for item in items:
        name, equals, account = (part.strip() for part in item.rpartition("="))
        platform, colon, user = (part.strip() for part in account.partition(":"))
        if not (equals and name and colon and platform and user) or " " in platform + user:
            raise SettingsError(f'--map "{item}" cannot be read; {_EXAMPLE}.')
        key = AccountKey(platform=platform.casefold(), user=user)
        if key.platform == "terminal":  # there a person is known by the name, whatever its case
            key = AccountKey(platform=key.platform, user=user.casefold())
        if found.setdefault(name, key) != key:
            raise SettingsError(
                f'--map gives "{name}" two accounts, {found[name]} and {key}; keep one of them.'
            )
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast:
    """The speakers of one conversation as the memory knows them, by their label in it.

    `names` is what each is called from now on, `people` the accounts by that name,
    `persona` is the one who is the persona, `absent` are those of whom nothing is kept:
    who opted out, and bots.
    """

    persona: str
    names: Mapping[str, str]
    people: Mapping[str, AccountKey]
    opted_out: frozenset[str] = frozenset()
    bots: frozenset[str] = frozenset()

    @property
    def absent(self) -> frozenset[str]:
        return self.opted_out | self.bots

    def became(self, label: str) -> str:
        """In words, who a speaker is now."""
        name = self.names[label]
        if label in self.opted_out:
            return "opted out: nothing was kept"
        if label in self.bots:
            return "a bot: left out"
        if name == self.persona:
            return f"the persona {self.persona}"
        return str(self.people[name]) if name in self.people else "a person of this import"


async def cast(
    conversation: Conversation,
    persona: Persona,
    given: Mapping[str, AccountKey],
    *,
    identities: bool,
    storage: Storage,
) -> Cast:
    """Decides who each speaker is.

    A name that was given an account has that account; otherwise a name of the persona is
    the persona, and with `identities` the account in the file counts. Names are compared
    without regard to case.
    """
    mapped = {name.casefold(): key for name, key in given.items()}
    own = {name.casefold() for name in persona.names}
    names: dict[str, str] = {}
    people: dict[str, AccountKey] = {}
    for label in conversation.speakers:
        account = mapped.get(label.casefold())
        is_persona = label.casefold() in own
        if is_persona and account is None:
            names[label] = persona.name
            continue
        names[label] = f"{label}#2" if is_persona else label
        if account is None and identities:
            account = conversation.accounts.get(label)
        if account:
            people[names[label]] = account
    return Cast(
        persona=persona.name,
        names=names,
        people=people,
        opted_out=await _opted_out(conversation, names, people, storage),
        bots=frozenset(
            label
            for label in conversation.bots & names.keys()
            if names[label] != persona.name and names[label] not in people
        ),
    )


async def _opted_out(
    conversation: Conversation,
    names: Mapping[str, str],
    people: Mapping[str, AccountKey],
    storage: Storage,
) -> frozenset[str]:
    """Who opted out, also by an account that only the file knows."""
    out = set()
    for label, name in names.items():
        known = {people.get(name), conversation.accounts.get(label)} - {None}
        if any([await storage.opted_out(key) for key in known if key]):
            out.add(label)
    return frozenset(out)


def unknown_names(
    given: Mapping[str, AccountKey], conversations: Sequence[Conversation]
) -> list[str]:
    """The names in `--map` that nobody in the file bears."""
    speakers = {name.casefold() for each in conversations for name in each.speakers}
    return [name for name in given if name.casefold() not in speakers]
