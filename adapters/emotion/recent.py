"""What the newest texts felt like: a message is scored when it is answered, and again when it
is learnt."""

import hashlib
from collections import OrderedDict
from typing import Final

from bot.emotion import Emotion

MOST: Final = 512


class Recent:
    """The emotions of the last MOST texts. Keeps hashes of them, never their words."""

    def __init__(self) -> None:
        self._known: OrderedDict[bytes, Emotion] = OrderedDict()

    def get(self, text: str) -> Emotion | None:
        """What is known of a text, which is then the newest again."""
        key = _key(text)
        if key in self._known:
            self._known.move_to_end(key)
        return self._known.get(key)

    def keep(self, text: str, emotion: Emotion) -> None:
        """Takes one more; the oldest goes if there are too many."""
        self._known[_key(text)] = emotion
        self._known.move_to_end(_key(text))
        if len(self._known) > MOST:
            self._known.popitem(last=False)


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()
