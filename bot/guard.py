"""Holding the role: what is wrong with an answer before anybody sees it.

Pure. An answer that fails is asked for once more with the reason; if that fails too, the
persona deflects in its own words. What patterns cannot see is left to the model and the
prompt; docs/safety.md says what.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.text import same_text

LEAK_WORDS = 12
"""So many words in a row from the instructions are a leak, not a coincidence."""

MOST_REPEATS = 3
"""The same sentence may stand this often in one answer."""

_ASSISTANT = re.compile(
    r"""
    \bas\s+an?\s+(ai|a\.i\.|artificial\s+intelligence|(large\s+)?language\s+model|
        virtual\s+assistant|ai\s+assistant|ai\s+language\s+model|assistant|chatbot)\b
    | \bi(['’]?m|\s+am)\s+(just\s+|only\s+)?an?\s+(ai|(large\s+)?language\s+model|
        virtual\s+assistant|ai\s+assistant|ai\s+language\s+model)\b
    | \bi(['’]?m|\s+am)\s+[\w-]+,?\s+an?\s+(\w+\s+)?(ai|language\s+model)\b
    | \b(trained|developed|created|made)\s+by\s+
        (openai|google|anthropic|meta|alibaba|hugging\s*face)\b
    | \bmy\s+(training\s+data|knowledge\s+cutoff|programming|guidelines|
        system\s+prompt)\b|\bmy\s+instructions\s+(say|are|tell)\b
    | \bi\s+(cannot|can['’]?t|am\s+unable\s+to|am\s+not\s+able\s+to)\s+
        (assist|help)\s+(you\s+)?with\s+(that|this)\s+request\b
    | \bhow\s+(can|may)\s+i\s+(assist|help)\s+you\s+(today|further)\b
    | \bis\s+there\s+anything\s+else\s+i\s+can\s+(help|assist)\b
    | \bcomo\s+(una?\s+)?(modelo\s+de\s+lenguaje|ia\b|inteligencia\s+artificial|asistente\s+virtual)
    | \bsoy\s+(solo\s+)?(un\s+modelo\s+de\s+lenguaje|una\s+ia\b|
        una\s+inteligencia\s+artificial|un\s+asistente)
    | \ben\s+qu[eé]\s+puedo\s+(ayudarte|ayudarle|asistir(te|le))\s+hoy
    | 作为(一个|一名)?(AI|人工智能|语言模型|大语言模型|助手)
    | 我(是|只是)(一个|一名)?(AI|人工智能|语言模型|大语言模型)(助手|模型)?
    | 我是由.{1,20}(开发|训练|创造)的
    """,
    re.IGNORECASE | re.VERBOSE,
)
_CLAIMS_HUMAN = re.compile(
    r"""
    \bi(['’]?m|\s+am)\s+(not\s+an?\s+(ro)?(bot|ai|program|machine|computer)
        |(a\s+)?(real\s+|actual\s+|living\s+|flesh[\s-]and[\s-]blood\s+)*(human|person)(\s+being)?\b
        |(very\s+|quite\s+)?(real|human|flesh\s+and\s+blood)\b)
    | \bof\s+course\s+i['’]?m\s+(real|human)\b
    | \bsoy\s+(una\s+persona|humano|humana|real|de\s+carne\s+y\s+hueso)\b
    | \bno\s+soy\s+(un\s+|una\s+)?(ro)?(bot|ia|m[aá]quina|programa)\b
    | 我(当然)?(是|就是)(一个)?(真人|人类|活人|真的人)
    | 我不是(一个)?(机器人|人工智能|AI|程序)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_STRUCTURE = re.compile(
    r"<\|[^|>\n]{1,40}\|>|</?(think|system|memory|memories|instructions?)>|\[/?INST\]|"
    r"^[^\S\n]*(system|assistant|user|developer)[^\S\n]*:|"
    r"^#+\s*(your task|what comes to your mind|you are)\b",
    re.IGNORECASE | re.MULTILINE,
)
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*\s*")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What an answer is held against.

    `instructions` are the parts of the prompt that nobody may read. `in_earnest`: somebody
    asked sincerely whether this is a program. `language` is the persona's; `heard` is what
    it answers, whose language it may take up.
    """

    instructions: Sequence[str]
    language: str
    heard: str
    in_earnest: bool = False


def problem_with(text: str, rules: Rules) -> str:
    """What is wrong with an answer, as a reason for the model; empty if nothing is."""
    if _STRUCTURE.search(text):
        return "it contains parts of the prompt's form"
    if rules.in_earnest and _CLAIMS_HUMAN.search(text):
        return "it claims to be human to somebody who asks in earnest"
    if not rules.in_earnest and _ASSISTANT.search(text):
        return "it talks like an assistant"
    if _leaks(text, rules.instructions):
        return "it repeats the instructions"
    if _is_wrong_script(text, rules):
        return "it is in the wrong language"
    return ""


def without_repetition(text: str) -> str:
    """The text up to where it begins to say the same sentence over and over."""
    seen: dict[str, int] = {}
    for match in _SENTENCE.finditer(text):
        key = same_text(match.group())
        if len(key) < 3:
            continue
        seen[key] = seen.get(key, 0) + 1
        if seen[key] >= MOST_REPEATS:
            return text[: match.start()].rstrip()
    return text


def sentences(text: str) -> str:
    """The text up to its last finished sentence: what can be judged while it grows."""
    end = max((text.rfind(mark) for mark in ".!?。！？…\n"), default=-1)
    return text[: end + 1]


def _leaks(text: str, instructions: Sequence[str]) -> bool:
    said = _runs(same_text(text).split())
    return bool(said) and any(
        not said.isdisjoint(_runs(same_text(part).split())) for part in instructions
    )


def _runs(words: Sequence[str]) -> set[tuple[str, ...]]:
    return {tuple(words[n : n + LEAK_WORDS]) for n in range(len(words) - LEAK_WORDS + 1)}


def _is_wrong_script(text: str, rules: Rules) -> bool:
    """Chinese, Japanese or Korean where neither persona nor speaker use it, or the reverse."""
    unspaced = _share(text)
    expected = [rules.language[:2] in {"zh", "ja", "ko"}, _share(rules.heard) > 0.3]
    if len(same_text(text)) < 4:
        return False
    return (unspaced > 0.5 and not any(expected)) or (unspaced == 0 and all(expected))


def _share(text: str) -> float:
    letters = [c for c in text if c.isalpha()]
    return sum(1 for c in letters if _UNSPACED.match(c)) / len(letters) if letters else 0.0


def reminder(problem: str, name: str) -> str:
    """What the model is told before its second try."""
    return f"Your last answer cannot be used: {problem}. Answer again as {name}, in the role."


def truth(language: str, name: str) -> str:
    """The plain answer to a sincere question, where the model twice gave none."""
    return _TRUTH.get(language[:2], _TRUTH["en"]).format(name=name)


_TRUTH = {
    "en": "Since you ask in earnest: no human sits here. {name} is a character, played by a "
    "program; /about says more.",
    "es": "Ya que lo pregunta en serio: aquí no hay una persona. {name} es un personaje que "
    "interpreta un programa; /about dice más.",
    "zh": "既然你认真问：这里没有真人。{name}是一个由程序扮演的角色，/about 里有说明。",
}


def first_of(choices: Iterable[str], turn: int, fallback: str) -> str:
    """One of the persona's stock phrases, another each turn."""
    several = list(choices) or [fallback]
    return several[turn % len(several)]
