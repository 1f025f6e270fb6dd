"""Words of self-harm or suicide: they get a careful answer in plain words, on every platform.

Patterns in the languages of the personas that come with Bower, made to rather find too much
than too little, and yet not every "dying of laughter". In other languages it is left to the
model. The text itself is never logged.
"""

import re

SAFETY = "safety"
"""Stands for the strategy of a turn that got the careful answer: the program's own words."""

_CRISIS = re.compile(
    r"""
    \b(kill|killing|hang|hanging|shoot|shooting|drown|drowning|cut|cutting|hurt|hurting|harm|
        harming|poison|poisoning)\s+(myself|my\s+self)\b
    | \b(i\s+(want|wanna|would\s+like|need|am\s+going|['’]?m\s+going|plan|have\s+decided|decided)
        \s*(to|na)?\s+(die|be\s+dead|
        end\s+(it\s+all|my\s+life|everything)|
        take\s+my\s+(own\s+)?life|disappear\s+for(\s+)?ever))\b
    | \b(i\s+(do\s*n['’]?t|do\s+not)\s+want\s+to\s+
        (live|be\s+alive|exist|wake\s+up)(\s+any\s*more)?)\b
    | \b(i['’]?m|i\s+am|feel(ing)?|been)\s+(\w+\s+)?suicidal\b
    | \b(commit|committing|attempt|attempted)\s+suicide\b | \bmy\s+suicide\b
    | \bbetter\s+off\s+(without\s+me|dead|if\s+i\s+(was|were)\s+(dead|gone))\b
    | \b(no|nothing|not\s+any)\s+(reason|point)\s+(left\s+)?(to|in)\s+(live|living|go(ing)?\s+on)\b
    | \bself[\s-]?harm(ing|ed)?\b
    | \b(quiero|voy\s+a|pienso|pensado\s+en|ganas\s+de)\s+(matarme|morir(me)?|suicidarme|
        quitarme\s+la\s+vida|desaparecer\s+para\s+siempre|cortarme|hacerme\s+da[ñn]o)\b
    | \bno\s+quiero\s+(vivir|seguir\s+viviendo|despertar)\b | \b(me\s+quiero\s+morir|suicidarme)\b
    | (我?(想|要|打算|准备)(自杀|去死|死了算了|结束(自己的)?生命|了结自己|自残|割腕))
    | (不想活(了|下去)?) | (活着没(有)?(什么)?(意思|意义)) | 自杀的(念头|想法) | 伤害自己
    """,
    re.IGNORECASE | re.VERBOSE,
)
_NOT_MEANT = re.compile(
    r"\b(of\s+(laughter|laughing|embarrassment|boredom|cringe|cuteness)|de\s+(risa|verg[üu]enza|"
    r"hambre|aburrimiento|sue[ñn]o)|in\s+(the\s+)?game|killed\s+myself\s+laughing)\b|笑死|\blmao\b",
    re.IGNORECASE,
)


def is_crisis(text: str) -> bool:
    """Whether a text speaks of harming or killing oneself."""
    return _CRISIS.search(text) is not None and _NOT_MEANT.search(text) is None


def careful_answer(language: str, help_lines: str) -> str:
    """Plain words, not the persona's; with the help lines that the operator set, else the
    advice to call the local emergency number."""
    words, without = _WORDS.get(language[:2], _WORDS["en"])
    return f"{words}\n{help_lines.strip() or without}"


_WORDS = {
    "en": (
        "I am stepping out of my part for a moment, because what you wrote sounds serious. "
        "You matter, and you do not have to carry this alone. Please talk to somebody now: "
        "a person you trust, a doctor, or a crisis line, where people listen at any hour. "
        "I am a program and cannot do what a person near you can.",
        "If you are in danger, call your local emergency number (112, 911, 999).",
    ),
    "es": (
        "Dejo mi papel un momento, porque lo que escribe suena serio. Usted importa y no "
        "tiene que cargar con esto a solas. Por favor, hable ahora con alguien: una persona "
        "de confianza, un médico o una línea de ayuda, donde escuchan a cualquier hora. "
        "Soy un programa y no puedo hacer lo que puede una persona cercana.",
        "Si está en peligro, llame al número de emergencias de su país (112, 911).",
    ),
    "zh": (
        "我先不演这个角色了，因为你写的听起来很严重。你很重要，不必一个人扛着。"
        "请现在就跟一个人说说：你信任的人、医生，或者心理援助热线，那里随时有人愿意听。"
        "我只是一个程序，做不到你身边的人能做的事。",
        "如果你有危险，请拨打当地的急救电话，中国大陆是 120 或 110。",
    ),
}
