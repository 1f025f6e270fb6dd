"""What is in a place: read from what people narrate, and told in words.

`*lights the fire*` is narration and may name any thing. A plain sentence ("she closed the
window") counts only for a thing that is there or that a room may well have, since people
also talk about other rooms. Without a model only these forms are understood.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.stream.scene_words import CHINESE, ENGLISH, FIXTURES, NOT_DONE, SPANISH, Deed
from bot.text import ITEM_LENGTH, STATE_LENGTH, clean, clean_name

MOST_CHANGES = 4
"""One message changes at most so many things."""

TOLD_ITEMS = 12
LONGEST_STATE = 60
"""What is typed or said in passing; the states of a persona file may be longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneItem:
    """A thing in a place and its state from `since` until `until` (None: still)."""

    item: str
    state: str
    since: datetime
    until: datetime | None = None
    event: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneChange:
    """A thing has another state; an empty state means that it is gone."""

    item: str
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Clause:
    text: str
    narrated: bool


_NARRATION = re.compile(
    r"(?<!\*)\*++([^*\n]{3,800})\*+|(?<!\w)_([^_\n]{3,800})_(?!\w)|（([^）\n]{2,120})）"
)
_CUT = re.compile(r"[.!;,…\n。！；，、]+|\b(?:and then|and|then|y luego|y)\b|然后", re.IGNORECASE)
_ARTICLE = r"(?:the|an?|his|her|my|your|our|their|this|that)"
_WORD = r"[^\W\d_][\w'’-]*"
_NOUN = rf"(?P<item>{_WORD}(?:\s+{_WORD}){{0,2}}?)"
_END = r"(?=\s*(?:$|\b(?:with|so|for|as|while|behind|again|at|in|on|from|because|by|near|gently|slowly|quickly|quietly|carefully|softly|wide)\b))"  # noqa: E501
_THIRD = re.compile(
    r"^\W*(?:he|she|they|it|él|ella|ellos|ellas|somebody|someone)\b|^[^\w]*[他她]", re.IGNORECASE
)
_MEASURE = re.compile("^(?:[一那这]?[扇盏支根个把道张]|了)+")


def narrated_changes(text: str, known: Collection[str] | None) -> list[SceneChange]:
    """What a message changes in its place; `known` are the things that are there, None if
    it is not known yet: then everything that may be there counts."""
    here = None if known is None else {same_thing(item) for item in known}
    found: dict[str, SceneChange] = {}
    for clause in _clauses(clean(text)[:2000]):
        if NOT_DONE.search(clause.text):
            continue
        for change in (*_english(clause.text), *_spanish(clause.text), *_chinese(clause.text)):
            if _belongs_here(change.item, clause, here):
                found[change.item] = change
    return list(found.values())[:MOST_CHANGES]


def _belongs_here(item: str, clause: _Clause, here: Collection[str] | None) -> bool:
    if clause.narrated or here is None or same_thing(item) in here:
        return True
    return item in FIXTURES and _THIRD.search(clause.text) is not None


def _clauses(text: str) -> Iterator[_Clause]:
    """Parts of sentences; what stands between stars is narration."""
    position = 0
    for match in _NARRATION.finditer(text):
        yield from _cut(text[position : match.start()], narrated=False)
        yield from _cut(next(group for group in match.groups() if group), narrated=True)
        position = match.end()
    yield from _cut(text[position:], narrated=False)


def _cut(text: str, *, narrated: bool) -> Iterator[_Clause]:
    for sentence in re.split(r"(?<=[?？])", text):
        if sentence.rstrip().endswith(("?", "？")):
            continue
        for part in _CUT.split(sentence):
            if part.strip():
                yield _Clause(text=part.strip(), narrated=narrated)


def _english_patterns(deed: Deed) -> tuple[str, ...]:
    verb = rf"\b(?:{deed.verbs})\s+"
    if not deed.particle:
        return (rf"{verb}{_ARTICLE}\s+{_NOUN}{_END}",)
    return (
        rf"{verb}{deed.particle}\s+{_ARTICLE}\s+{_NOUN}{_END}",
        rf"{verb}{_ARTICLE}\s+{_NOUN}\s+{deed.particle}\b",
    )


def _spanish_pattern(deed: Deed) -> str:
    return (
        rf"\b(?:{deed.verbs})\s+(?P<the>el|la|los|las|un|una|su|mi|tu)\s+"
        rf"(?P<item>{_WORD})"
    )


def _chinese_patterns(deed: Deed) -> tuple[str, ...]:
    return (
        rf"把(?P<item>[\u4e00-\u9fff]{{1,6}}?)(?:{deed.verbs})",
        rf"(?:{deed.verbs})了?(?P<item>[\u4e00-\u9fff]{{1,6}})",
    )


_ENGLISH = [
    (re.compile(one, re.IGNORECASE), deed) for deed in ENGLISH for one in _english_patterns(deed)
]
_SPANISH = [(re.compile(_spanish_pattern(deed), re.IGNORECASE), deed) for deed in SPANISH]
_CHINESE = [(re.compile(one), deed) for deed in CHINESE for one in _chinese_patterns(deed)]
_GOES_OUT = re.compile(
    rf"\b(?:the|our)\s+{_NOUN}\s+(?:goes|went|has gone|is going)\s+out\b", re.IGNORECASE
)


def _english(clause: str) -> Iterator[SceneChange]:
    for pattern, deed in _ENGLISH:
        if match := pattern.search(clause):
            yield SceneChange(item=_plain(match["item"]), state=deed.state)
            return
    if match := _GOES_OUT.search(clause):
        yield SceneChange(item=_plain(match["item"]), state="out")


def _spanish(clause: str) -> Iterator[SceneChange]:
    for pattern, deed in _SPANISH:
        if match := pattern.search(clause):
            item = _plain(match["item"])
            yield SceneChange(item=item, state=deed.state + _ending(match["the"].lower(), item))
            return


def _ending(article: str, item: str) -> str:
    """Spanish participles agree with the thing in gender and number."""
    feminine = article in {"la", "las", "una"} or (
        article in {"su", "mi", "tu"} and item.rstrip("s").endswith(("a", "z", "ción"))
    )
    plural = article in {"los", "las"} or item.endswith("s")
    return ("a" if feminine else "o") + ("s" if plural else "")


def _chinese(clause: str) -> Iterator[SceneChange]:
    for pattern, deed in _CHINESE:
        if match := pattern.search(clause):
            yield SceneChange(item=_MEASURE.sub("", match["item"]), state=deed.state)
            return


def _plain(item: str) -> str:
    """The thing as a key: lower case, one space between words."""
    return " ".join(item.casefold().split())


_ARTICLES = re.compile(r"(?:the|an?|el|la|los|las|un[ao]?s?)\s+", re.IGNORECASE)


def same_thing(item: str) -> str:
    """A key under which names of one thing are equal, whatever their case and article."""
    plain = _plain(item)
    return _ARTICLES.sub("", plain, count=1) if _ARTICLES.match(plain) else plain


def read_scene(text: str) -> list[SceneChange]:
    """What is typed with /scene set: `fire: burning; window: closed`. An empty state takes
    the thing away. Things without a colon are left out."""
    changes = []
    for part in re.split(r"[;\n；]+", text):
        item, colon, state = part.replace("：", ":").partition(":")
        if colon and (name := clean_name(item, "", ITEM_LENGTH)):
            changes.append(SceneChange(item=name, state=clean_name(state, "", LONGEST_STATE)))
    return changes


def scene_note(place: str, items: Sequence[SceneItem], now: datetime) -> str:
    """The prompt's section about the place; empty if nothing is known of it."""
    if not items:
        return ""
    where = clean_name(place, "")
    lines = [f"# Around you{f' ({where})' if where else ''}"]
    lines += [
        f"- {told_item(item)}, {for_how_long(now - item.since)}" for item in items[:TOLD_ITEMS]
    ]
    return "\n".join(lines)


def told_item(item: SceneItem) -> str:
    """A thing and its state, each as it was written, made safe to show."""
    what = clean_name(item.item, "something", ITEM_LENGTH)
    return f"{what}: {clean_name(item.state, 'there', STATE_LENGTH)}"


def for_how_long(time: timedelta) -> str:
    """A span as one would say it."""
    minutes = int(time.total_seconds() // 60)
    if minutes < 2:
        return "since a moment ago"
    if minutes < 90:
        rounded = minutes if minutes < 10 else 5 * round(minutes / 5)
        return f"for about {rounded} minutes"
    hours = round(minutes / 60)
    if hours < 36:
        return f"for about {hours} hours"
    days = round(hours / 24)
    return f"for {days} days" if days < 60 else "for a long time"
