"""Whether a lore key that is meant as a regular expression is one."""

import regex


def check_expression(key: str, *, every: bool) -> None:
    """Raises ValueError, with a sentence for the author, for a key between slashes (or any
    where `every` key is an expression) that is no regular expression."""
    slashed = regex.fullmatch(r"\s*/(.+)/[dgimsuvy]*\s*", key, regex.DOTALL)
    if not slashed and not every:
        return
    try:
        regex.compile(slashed[1] if slashed else key)
    except (regex.error, RecursionError, OverflowError, ValueError) as error:
        raise ValueError(
            f'the key "{key}" looks like a regular expression but is none; mend it, or take the '
            f"{'slashes' if slashed else 'line regex = true'} away"
        ) from error
