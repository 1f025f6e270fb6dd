"""A model's whole answer, where nobody watches it grow."""

from collections.abc import Sequence

from bot.memory import Usage
from bot.ports import ChatModel, Line


async def complete(
    model: ChatModel, lines: Sequence[Line], *, max_tokens: int, purpose: str
) -> tuple[str, Usage | None]:
    """The answer in one text, and what it cost if that is known. Raises ModelError."""
    text, usage = "", None
    async for piece in model.stream(lines, max_tokens=max_tokens, purpose=purpose):
        text += piece.text
        usage = piece.usage or usage
    return text, usage
