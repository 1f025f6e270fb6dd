"""Made-up lines about what the public sets show too rarely: negation, comfort, irony, orders.

Each is put together from parts that were written for this, so it is as free as the rest of the
program. Most kinds come in pairs: "I'm not angry with you" beside "I'm angry with you", or words
would lose their meaning. They teach; nothing is measured on them.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Final

import numpy as np

from benchmarks.emotion_data import Labelled

FEELINGS: Final[Mapping[str, Sequence[str]]] = {
    "fear": ("afraid", "scared", "frightened", "worried", "nervous", "anxious"),
    "sadness": ("sad", "unhappy", "upset", "lonely", "heartbroken", "disappointed"),
    "anger": ("angry", "mad", "furious", "annoyed", "cross"),
    "disgust": ("disgusted", "grossed out", "repulsed"),
    "joy": ("happy", "glad", "pleased", "thrilled", "delighted", "satisfied", "excited"),
}
WHO: Final = ("I'm{} {}", "I am{} {}", "We're{} {}", "I was{} {}", "She is{} {}", "Ben is{} {}")
END: Final = (".", " at all.", " about it.", " with you.", " anymore.", ", really.", "!")

COMFORT: Final = (
    "Don't be {}, {}.",
    "No need to be {}, {}.",
    "There's no reason to be {}: {}.",
    "You don't have to be {}, {}.",
    "Please don't be so {}, {}.",
    "Nothing to be {} about, {}.",
)
TAILS: Final = (
    "it's going to be okay",
    "I'm here with you",
    "we'll sort it out",
    "you'll be all right",
    "it will pass",
    "things get better",
    "nobody blames you",
    "I've got you",
)
SOOTHING: Final = (
    "Don't cry, {}.",
    "Don't worry, {}.",
    "Hush now, {}.",
    "Come here, {}.",
    "Chin up, {}.",
)

NICE: Final = ("great", "wonderful", "lovely", "fantastic", "brilliant", "perfect", "how nice")
BAD_NEWS: Final = (
    "the train is late again",
    "it's raining again",
    "my phone just died",
    "another bill",
    "the printer is broken again",
    "they cancelled my flight",
    "I have to work on Sunday",
    "another meeting at eight",
    "the milk has gone off",
    "my keys are gone",
    "the neighbours are drilling again",
    "the heating is off again",
    "another exam",
)
GOOD_NEWS: Final = (
    "the sun is out",
    "you made it",
    "we have the whole day off",
    "they said yes",
    "my package is here",
    "she is coming home",
    "the test was negative",
    "dinner is ready",
    "we got the tickets",
)
HARM: Final = (
    "breaking my glasses",
    "losing my luggage",
    "telling everyone my secret",
    "eating my lunch",
    "forgetting my birthday",
    "waking me up at five",
    "ruining the party",
    "spilling coffee on my laptop",
    "throwing away my notes",
    "scratching my car",
    "making me wait for an hour",
)
KINDNESS: Final = (
    "picking me up",
    "the flowers",
    "listening to me",
    "fixing my bike",
    "remembering my birthday",
    "cooking tonight",
    "helping my mother",
    "your letter",
    "staying with me",
)
PRAISE: Final = ("Really helpful", "So clever", "Very kind of you", "Nicely done", "Genius")
MINE: Final = ("phone", "diary", "car", "letters", "room", "food", "desk", "bike", "bag", "hair")
ORDERS: Final = (
    "Stop reading my {}!",
    "Stop messing with my {}!",
    "Quit playing with my {}.",
    "Get your hands off my {}!",
    "Leave my {} alone!",
    "Keep away from my {}!",
    "Who said you could take my {}?!",
    "Don't you dare touch my {}!",
)
REQUESTS: Final = (
    "You can put it next to my {}.",
    "Have you seen my {}?",
    "I left my {} at home.",
    "My {} is over there.",
    "Could you bring my {} along?",
)
NOT_BAD: Final = (
    "It's not bad{}",
    "That isn't bad{}",
    "Not a bad idea{}",
    "It wasn't the worst{}",
    "I don't mind it{}",
    "I don't dislike it{}",
)
NOT_GOOD: Final = (
    "It's not good{}",
    "That isn't funny{}",
    "I don't like it{}",
    "I can't say I enjoy it{}",
    "This is no fun{}",
    "It's not nice{}",
)

WHOM: Final = ("him", "her", "you", "this song", "the idea", "my job", "this town", "school")
AGAINST: Final = ("I hate {}{}", "I really hate {}{}", "We can't stand {}{}", "I loathe {}{}")
NOT_AGAINST: Final = (
    "I don't hate {}{}",
    "I don't really hate {}{}",
    "I never hated {}{}",
    "I don't mind {}{}",
    "I have nothing against {}{}",
    "I no longer hate {}{}",
)
REPROACHES: Final = (
    "Why did you take my {}?!",
    "Why would you throw out my {}?",
    "How could you sell my {}?!",
    "What did you do to my {}?!",
    "Who broke my {}?!",
)


def drills(count: int, seed: int) -> list[Labelled]:
    """`count` of the lines, or all there are, drawn with the seed. Their `fine` labels are
    GoEmotions' nearest."""
    everything = list({line.text: line for line in _all()}.values())
    order = np.random.default_rng(seed).permutation(len(everything))[:count]
    return [everything[at] for at in np.sort(order)]


def _all() -> Iterator[Labelled]:
    yield from _feelings()
    yield from _comfort()
    yield from _irony()
    yield from _reproach()
    for order, thing in product(ORDERS, MINE):
        yield _line(order.format(thing), "anger")
    for request, thing in product(REQUESTS, MINE):
        yield _line(request.format(thing))
    for text, end in product(NOT_BAD, (".", " at all.", ", actually.", "!")):
        yield _line(text.format(end), "acceptance")
    for text, end in product(NOT_GOOD, (".", " at all.", ", actually.", "!")):
        yield _line(text.format(end), "disgust", "anger")


def _feelings() -> Iterator[Labelled]:
    """Each feeling said of somebody, and the same denied."""
    for feeling, words in FEELINGS.items():
        for number, (who, word, end) in enumerate(product(WHO, words, END)):
            denied = who.format((" not", " not", " not really", " never")[number % 4], word)
            if not end.startswith((" at all", " anymore")):
                yield _line(who.format(("", " so", " very", "")[number % 4], word) + end, feeling)
            if feeling == "joy":
                yield _line(denied + end, "sadness", "anger")
            else:  # calm: some would say nothing is felt, some hear reassurance
                yield _line(denied + end, *(["acceptance"] if number % 2 else []))


def _comfort() -> Iterator[Labelled]:
    words = [word for feeling in ("fear", "sadness", "anger") for word in FEELINGS[feeling]]
    for frame, word, tail in product(COMFORT, words, TAILS):
        yield _line(frame.format(word, tail), "acceptance")
    for frame, tail in product(SOOTHING, TAILS):
        yield _line(frame.format(tail), "acceptance")


def _irony() -> Iterator[Labelled]:
    """Praise for what nobody would praise, and for what everybody would."""
    for nice, (news, labels) in product(
        NICE,
        [(bad, ("anger", "sadness")) for bad in BAD_NEWS]
        + [(good, ("joy",)) for good in GOOD_NEWS],
    ):
        yield _line(f"Oh {nice}, {news}.", *labels)
        yield _line(f"{nice.capitalize()}, now {news}!", *labels)
        yield _line(f"{news[0].upper()}{news[1:]}. {nice.capitalize()}.", *labels)
    for praise, (deed, labels) in product(
        PRAISE,
        [(bad, ("anger",)) for bad in HARM] + [(kind, ("joy", "acceptance")) for kind in KINDNESS],
    ):
        yield _line(f"Thanks for {deed}. {praise}.", *labels)
        yield _line(f"{praise}, thanks for {deed}!", *labels)


def _reproach() -> Iterator[Labelled]:
    """Questions that are none, also shouted; and hate, also denied."""
    for reproach, thing in product(REPROACHES, MINE):
        yield _line(reproach.format(thing), "anger")
        yield _line(reproach.format(thing).rstrip("?!").upper(), "anger")
    for whom, end in product(WHOM, (".", " at all.", "!")):
        for frame in AGAINST:
            yield _line(frame.format(whom, end), "anger", "disgust")
        for frame in NOT_AGAINST:
            yield _line(frame.format(whom, end), "acceptance")


_FINE: Final = {"acceptance": "caring"}


def _line(text: str, *named: str) -> Labelled:
    fine = frozenset(_FINE.get(name, name) for name in named) or frozenset({"neutral"})
    return Labelled(text=text, named=frozenset(named), neutral=not named, fine=fine)
