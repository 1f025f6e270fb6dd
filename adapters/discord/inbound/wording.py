"""Text as it may travel on: Discord lets halves of surrogate pairs through, nothing else does."""


def sound(text: str) -> str:
    """The text without lone surrogates."""
    return text.encode("utf-8", "ignore").decode("utf-8")
