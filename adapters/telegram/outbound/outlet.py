"""Everything that one bot account sends: replies whole and in order, to whom they are for."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from telegram import InlineKeyboardMarkup

from adapters.telegram.outbound.cutting import cut
from adapters.telegram.outbound.drafts import Drafts
from adapters.telegram.outbound.formatting import styled
from adapters.telegram.outbound.keyboards import keyboard, link_button
from adapters.telegram.outbound.posting import Part, Posting
from adapters.telegram.outbound.spans import Span, Styled
from adapters.telegram.outbound.typing import Typing
from adapters.telegram.targets import Asker, Target
from bot.errors import SendError, Undeliverable
from bot.messages import Draft, Dropped, File, Kept, Outbound, Reply, Thinking
from bot.ports import Send

MOST_REPLIES = 500
"""Of so many replies it is known which of their parts are out."""


class Outlet:
    """`usual` is the name under which the account speaks anyway; another persona's words
    get their speaker's name in front. `deep_link` opens a private chat with the bot."""

    def __init__(
        self,
        *,
        posting: Posting,
        typing: Typing,
        drafts: Drafts,
        usual: str,
        deep_link: str,
    ) -> None:
        self._posting = posting
        self._deep_link = deep_link
        self._typing = typing
        self._drafts = drafts
        self._usual = usual
        self._out: dict[str, list[str]] = {}  # ids of the parts that are out, by nonce
        self._closed = False

    def to(
        self, target: Target, asker: Asker | None = None, kept: Callable[[], None] | None = None
    ) -> Send:
        """A way to speak in a place. `kept` is called when what came in need not be
        delivered again."""

        async def send(outbound: Outbound) -> Sequence[str]:
            if self._closed:
                return self._refuse(outbound)
            match outbound:
                case Kept():
                    if kept is not None:
                        kept()
                case Thinking():
                    self._typing.start(target)
                case Draft():
                    return self._drafts.show(outbound, target)
                case Dropped():
                    self._typing.stop(target)
                    for shown in await self._drafts.end(outbound.nonce):
                        await self._posting.remove(shown, target)
                case Reply():
                    self._typing.stop(target)
                    return await self._reply(outbound, target, asker)
            return ()

        return send

    def close(self) -> None:
        """From now on nothing is sent."""
        self._closed = True

    def _refuse(self, outbound: Outbound) -> Sequence[str]:
        if isinstance(outbound, Reply):
            raise SendError("The program stops; the reply is sent at the next start.")
        return ()

    # -- to whom -------------------------------------------------------------------------
    async def _reply(self, reply: Reply, target: Target, asker: Asker | None) -> list[str]:
        origin = asker.origin if asker is not None else None
        if not reply.private or target.is_dm:
            return await self._deliver(reply, target, keyboard(reply.buttons, origin))
        if asker is None or asker.user is None:
            await self._say_why_not(target, asker)
            raise Undeliverable("An answer for one person alone has nobody to go to.")
        alone = replace(reply, reply_to=None, edit=())
        buttons = keyboard(reply.buttons, origin or target)
        try:
            return await self._deliver(alone, Target(chat=asker.user), buttons)
        except Undeliverable:
            await self._ask_for_a_chat(target, asker)
            raise

    async def _ask_for_a_chat(self, target: Target, asker: Asker) -> None:
        """The one sentence that the group sees; it tells nothing of the answer."""
        text = f"{asker.name}, I can only answer that in private: open a chat with me first."
        button = link_button("Open a chat", self._deep_link)
        await self._say(text, target, asker, button)

    async def _say_why_not(self, target: Target, asker: Asker | None) -> None:
        if asker is not None:
            text = "Only a person can get that answer: ask again without being anonymous."
            await self._say(text, target, asker, None)

    async def _say(
        self, text: str, target: Target, asker: Asker, buttons: InlineKeyboardMarkup | None
    ) -> None:
        about = str(asker.message) if asker.message is not None else None
        part = Part(content=Styled(text=text), reply_to=about, buttons=buttons)
        await self._posting.post(part, target)

    # -- whole and in order --------------------------------------------------------------
    async def _deliver(
        self, reply: Reply, target: Target, buttons: InlineKeyboardMarkup | None
    ) -> list[str]:
        """Sends what of the reply is not out yet. After a failure the same reply goes on
        where it stopped."""
        shown = await self._drafts.end(reply.nonce)
        old = list(reply.edit) or shown
        parts = self._parts(reply, target, buttons)
        out = self._progress(reply.nonce)
        while len(out) < len(parts):
            part = parts[len(out)]
            before = old[len(out)] if len(out) < len(old) else None
            out.append(await self._posting.put(part, target, before))
        for surplus in old[len(parts) :]:
            await self._posting.remove(surplus, target)
        return list(out)

    def _progress(self, nonce: str) -> list[str]:
        if len(self._out) >= MOST_REPLIES and nonce not in self._out:
            del self._out[next(iter(self._out))]
        return self._out.setdefault(nonce, [])

    def _parts(
        self, reply: Reply, target: Target, buttons: InlineKeyboardMarkup | None
    ) -> list[Part]:
        contents: list[Styled | File] = [*cut(self._styled(reply)), *reply.files]
        about = None if target.is_dm else reply.reply_to
        last = len(contents) - 1
        return [
            Part(
                content=content,
                reply_to=about if n == 0 else None,
                buttons=buttons if n == last else None,
            )
            for n, content in enumerate(contents)
        ]

    def _styled(self, reply: Reply) -> Styled:
        """A persona's words as they are meant to look; the program's own as they are."""
        if not reply.speaker:
            return Styled(text=reply.text.strip())
        words = styled(reply.text)
        if reply.speaker == self._usual or not words.text:
            return words
        name = f"{reply.speaker}:"
        spans = [
            replace(s, start=s.start + len(name) + 1, end=s.end + len(name) + 1)
            for s in words.spans
        ]
        label = Span(style="bold", start=0, end=len(name))
        return Styled(text=f"{name}\n{words.text}", spans=(label, *spans))
