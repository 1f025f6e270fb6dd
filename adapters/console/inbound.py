"""What somebody does in the terminal, as the values that the engine handles."""

from dataclasses import replace
from uuid import uuid4

from adapters.console.script import Act, Answer, LineError, Order, Remove, Rewrite, Say
from adapters.console.session import Choice, Session
from bot.clock import Clock
from bot.commands import parse_command
from bot.messages import (
    Attachment,
    Command,
    Delete,
    Edit,
    Inbound,
    Message,
    Press,
    Rights,
)
from bot.world import Author


class InboundMaker:
    """Makes inbound values from acts and notes in the session what was said.

    `persona` is the key to name in each, None where the place's own shall answer.
    """

    def __init__(self, session: Session, *, clock: Clock, persona: str | None) -> None:
        self._session = session
        self._clock = clock
        self._persona = persona

    def make(self, act: Act, author: Author) -> Inbound:
        """Raises LineError and CommandError for what cannot be done."""
        match act:
            case Say():
                return self._say(act, author)
            case Answer():
                return self._answer(act, author)
            case Order():
                return self._order(act.text, author)
            case Rewrite():
                return self._rewrite(act, author)
            case Remove():
                message = self._session.own(act.number, author)
                self._session.removed.add(message.id)
                return Delete(place=message.where.key, ids=(message.id,), at=self._clock.now())
            case _:
                raise LineError("That cannot be part of a @burst.")

    @property
    def _named(self) -> str | None:
        """In a room with several personas, what is said tells which one is meant."""
        return None if self._session.in_room and self._session.others else self._persona

    def press(self, choice: Choice) -> Press:
        """The present speaker presses a button, where it was shown."""
        author = self._session.speaker
        return Press(
            id=uuid4().hex,
            data=choice.button.data,
            where=choice.where,
            author=author,
            at=self._clock.now(),
            rights=self._rights(author),
            persona=self._named,
        )

    def _say(self, say: Say, author: Author) -> Message:
        session = self._session
        message = Message(
            id=uuid4().hex,
            where=session.where,
            author=author,
            text=say.text,
            at=self._clock.now(),
            persona=self._named,
            mentions_me=session.is_for_persona(say.text),
            mentions=session.mentioned(say.text),
            forwarded=say.forwarded,
            attachments=(Attachment(description=say.attachment),) if say.attachment else (),
        )
        session.sent.append(message)
        return message

    def _answer(self, answer: Answer, author: Author) -> Inbound:
        said = self._session.persona_said(answer.number)
        if answer.text.startswith("/"):
            return self._order(answer.text, author, reply_to=said.id)
        message = replace(
            self._say(Say(text=answer.text), author),
            replies_to_me=True,
            reply_to=said.id,
            quoted=said.text,
        )
        self._session.replace(message)
        return message

    def _rewrite(self, act: Rewrite, author: Author) -> Edit:
        session = self._session
        message = replace(
            session.own(act.number, author),
            text=act.text,
            mentions_me=session.is_for_persona(act.text),
            mentions=session.mentioned(act.text),
        )
        session.replace(message)
        return Edit(message=message, at=self._clock.now())

    def _order(self, text: str, author: Author, *, reply_to: str | None = None) -> Command:
        parsed = parse_command(text)
        return Command(
            id=uuid4().hex,
            name=parsed.name,
            options=dict(parsed.options),
            where=self._session.where,
            author=author,
            at=self._clock.now(),
            rights=self._rights(author),
            persona=self._named,
            reply_to=reply_to,
        )

    def _rights(self, author: Author) -> Rights:
        """Whoever started the program operates it; people played in it are members."""
        return Rights.OPERATOR if author == self._session.me else Rights.MEMBER
