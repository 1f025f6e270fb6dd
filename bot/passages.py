"""The text of an event as the encoder reads it: who says it belongs to its meaning."""


def passage(speaker_name: str, text: str) -> str:
    """What is embedded for an event; imports and conversations use the same."""
    return f"{speaker_name}: {text}"
