"""When somebody corrects what they said of themselves in plain talk: "I moved, I'm in Lyon now".

Without a model a correction is seen by two signs together: it tells of one of the matters
below, and it says that something changed. What it corrects are one's own earlier lines about
the same matter. `/correct` needs no signs.
"""

import re
from collections.abc import Mapping

from bot.stream.news import own_words
from bot.stream.news_words import NO_TESTIMONY

_I = (
    r"\b(?:I|I'm|I’m|I've|I’ve|I'll|my|me|we|we're|yo|mi|me|nos)\b"
    r"|我|[Vv]ivo|[Tt]rabajo|[Ss]oy|[Ee]stoy"
)

MATTERS: Mapping[str, re.Pattern[str]] = {
    "home": re.compile(
        r"\b(?:liv(?:e|ed|ing)|mov(?:e|ed|ing)|home\s+is|based\s+in|I(?:'m|’m|\s+am)\s+(?:back\s+)?in"
        r"\s+(?-i:[A-Z])\w+|viv(?:o|ía|imos)|mudé|mudamos)\b|住|搬",
        re.IGNORECASE,
    ),
    "work": re.compile(
        r"\b(?:work(?:ed|ing)?\s+(?:at|for|as|in)|my\s+(?:new\s+|old\s+)?job|employed|hired|quit"
        r"|retired|trabaj(?:o|aba|amos)|mi\s+trabajo|jubil\w+)\b|工作|上班|辞职|退休",
        re.IGNORECASE,
    ),
    "name": re.compile(
        r"\b(?:my\s+name|call\s+me|me\s+llamo|mi\s+nombre)\b|我叫|名字", re.IGNORECASE
    ),
    "age": re.compile(
        r"\b(?:years?\s+old|turned\s+\d+|my\s+age|tengo\s+\d+\s+años|cumplí)\b|岁", re.IGNORECASE
    ),
    "love": re.compile(
        r"\b(?:married|single|engaged|divorced|girlfriend|boyfriend|husband|wife|casad[oa]|solter[oa]"
        r"|novi[oa])\b|结婚|离婚|单身|男朋友|女朋友",
        re.IGNORECASE,
    ),
    "food": re.compile(
        r"\b(?:vegetarian|vegan|allergic|eat\s+meat|vegetarian[oa]|vegan[oa]|alérgic[oa])\b|吃素|过敏",
        re.IGNORECASE,
    ),
}
"""What people are and have that changes, and the words they tell it with."""

SEARCHED: Mapping[str, str] = {
    "home": "live living lived moved move home based in vivo vivía mudé 住 搬",
    "work": "work working worked job employed hired quit retired trabajo trabajaba 工作 上班",
    "name": "name call llamo nombre 我叫 名字",
    "age": "years old turned age años 岁",
    "love": "married single engaged divorced girlfriend boyfriend husband wife casada casado 结婚",
    "food": "vegetarian vegan allergic meat vegetariana vegano 吃素 过敏",
}
"""Words by which earlier lines about the same matter are looked up."""

_CHANGED = re.compile(
    r"\b(?:now|nowadays|any\s?more|no\s+longer|moved|quit|retired|actually|correction|I\s+meant"
    r"|not\s+\w+\s+but|changed|since\s+(?:last|this)|used\s+to|these\s+days|turned|became"
    r"|ahora|ya\s+no|me\s+mudé|en\s+realidad|cambié|antes)\b|现在|不再|其实|搬到|搬家|改|已经",
    re.IGNORECASE,
)


def matters(text: str) -> set[str]:
    """The matters about which a line tells something of its speaker."""
    words = own_words(text)
    if not re.search(_I, words) or NO_TESTIMONY.search(words):
        return set()
    return {name for name, pattern in MATTERS.items() if pattern.search(words)}


def corrected_matters(text: str) -> set[str]:
    """The matters of which a line says that they are no longer as they were."""
    return matters(text) if _CHANGED.search(own_words(text)) else set()
