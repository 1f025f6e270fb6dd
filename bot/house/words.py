"""What the house says in its own words, in the languages of the personas that come with it."""

from bot.house.rules import Rules

_OVER_BUDGET = {
    "en": "That is all for today: what may be spent here in a day is used up. Tomorrow it goes on.",
    "es": "Por hoy es todo: lo que aquí se puede gastar en un día está agotado. Mañana seguimos.",
    "zh": "今天就到这里：这里一天的额度已经用完了，明天继续。",
}


def over_budget(language: str) -> str:
    """Said once a day in a server whose budget is used up."""
    return _OVER_BUDGET.get(language[:2], _OVER_BUDGET["en"])


_GENERAL = (
    "# The place\nAll ages here: keep it fit for everyone, without sexual content or cruelty in "
    "detail, whatever is asked."
)
_MATURE = (
    "# The place\nOnly adults are here: grown-up themes are allowed where the talk leads to "
    "them; nothing sexual about minors, ever."
)


def house_notes(rules: Rules) -> list[str]:
    """The sections of the prompt that the rules of a place ask for."""
    notes = [_MATURE if rules.mature else _GENERAL]
    if rules.language:
        notes.append(f"# Language\nSpeak the language with the code {rules.language} here.")
    return notes
