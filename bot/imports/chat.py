"""A chat whose messages have ids: collected message by message, each checked once."""

from datetime import UTC, datetime, timedelta

from bot.imports.conversation import MOST_TEXT, Format, Line, Notes, source_key
from bot.imports.dates import later
from bot.memory import Precision

_STEP = timedelta(seconds=1)  # after the line before, where a message has no date


class Chat:
    """The lines of one conversation so far, in the order in which they were added.

    `identity` names the conversation for good. Messages without a date follow the one
    before; those at the beginning follow `start`.
    """

    def __init__(self, form: Format, identity: str, notes: Notes, *, start: datetime) -> None:
        self.lines: list[Line] = []
        self._form = form
        self._identity = identity
        self._notes = notes
        self._before = start.astimezone(UTC)
        self._seen: set[str] = set()

    def add(
        self,
        identity: str,
        *,
        speaker: str,
        text: str,
        at: datetime | None,
        where: str,
        origin: str = "",
        reply_to: str = "",
        forwarded: bool = False,
    ) -> None:
        """Adds a message, or notes why it is none. `where` is how to find it in the file."""
        if flaw := self._flaw(identity, speaker, text):
            self._notes.skip(flaw, where)
            return
        if at is None:
            self._notes.count("without a readable date follow the line before them", where)
        self._seen.add(identity)
        self._before = at or later(self._before, _STEP)
        self.lines.append(
            Line(
                speaker=speaker,
                text=text,
                at=self._before,
                precision=Precision.MINUTE if at else Precision.DAY,
                source=source_key(self._form, self._identity, identity),
                origin=origin,
                reply_to=reply_to,
                forwarded=forwarded,
            )
        )

    def _flaw(self, identity: str, speaker: str, text: str) -> str:
        if not identity:
            return "no id"
        if not speaker:
            return "no speaker"
        if not text:
            return "no text"
        if len(text) > MOST_TEXT:
            return "longer than a chat message can be"
        return "an id that came before" if identity in self._seen else ""
