"""What a model thinks aloud before it answers, and how to keep it out of the answer."""

import re

_TAG = re.compile(r"<(/?)(?:think|thinking|thought)>", re.IGNORECASE)
_TAGS = ("<think>", "<thinking>", "<thought>", "</think>", "</thinking>", "</thought>")
_BLOCK = re.compile(
    r"<(think|thinking|thought)>.*?(?:</(?:think|thinking|thought)>|\Z)", re.IGNORECASE | re.DOTALL
)


def without_thoughts(text: str) -> str:
    """The answer in a finished text: no `<think>` block, closed or not, and nothing before a
    closing tag that was never opened (some chat templates open it in the prompt)."""
    answer = _BLOCK.sub("", text)
    return _TAG.split(answer)[-1].strip()


class ThoughtFilter:
    """Lets an answer through piece by piece and keeps the thoughts back.

    Tags may be split over pieces. `inside` says that the text begins within a thought; if
    that thought never ends, all of it was the answer after all and `end` gives it back.
    White space before the first word of the answer is dropped.
    """

    def __init__(self, *, inside: bool = False) -> None:
        self.unopened = False  # a thought ended that never began: what came before was one
        self._thinking = inside
        self._assumed: list[str] | None = [] if inside else None
        self._held = ""
        self._begun = False

    def feed(self, text: str) -> str:
        """The part of the answer that is certain now; may be empty."""
        self._held += text
        shown: list[str] = []
        while tag := _TAG.search(self._held):
            self._take(self._held[: tag.start()], shown)
            self._turn(closing=bool(tag[1]))
            self._held = self._held[tag.end() :]
        certain = len(self._held) - _tag_begun(self._held)
        self._take(self._held[:certain], shown)
        self._held = self._held[certain:]
        return self._from_first_word("".join(shown))

    def end(self) -> str:
        """What was still held back, once no more comes."""
        rest: list[str] = []
        self._take(self._held, rest)
        self._held = ""
        return self._from_first_word("".join(self._assumed or rest))

    def _take(self, text: str, shown: list[str]) -> None:
        if not self._thinking:
            shown.append(text)
        elif self._assumed is not None:
            self._assumed.append(text)

    def _turn(self, *, closing: bool) -> None:
        if closing and not self._thinking:
            self.unopened = True
        self._assumed = None
        self._thinking = not closing

    def _from_first_word(self, text: str) -> str:
        if not self._begun:
            text = text.lstrip()
            self._begun = bool(text)
        return text


def _tag_begun(text: str) -> int:
    """How many characters at the end of a text may be the beginning of a tag."""
    at = text.rfind("<", -len("</thinking>"))
    tail = text[at:].lower()
    return len(tail) if at >= 0 and any(tag.startswith(tail) for tag in _TAGS) else 0
