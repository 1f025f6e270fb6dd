"""The language models that the settings name, each made once, with its fallbacks."""

from collections.abc import Sequence
from contextlib import AsyncExitStack

from adapters.bundled_model import BundledModel
from adapters.llm import FallbackModel, OpenAIModel
from adapters.settings import BUNDLED, ModelName, Settings
from bot.ports import ChatModel


class ChatModels:
    """Makes models and closes them with the stack. The bundled one, which loads in the
    background from then on, is shared by all that name it."""

    def __init__(self, settings: Settings, opened: AsyncExitStack) -> None:
        self._settings = settings
        self._opened = opened
        self._bundled: ChatModel | None = None

    async def main(self) -> ChatModel:
        """MODEL with its fallbacks, or the bundled model."""
        settings = self._settings
        first = ModelName(name=settings.model or BUNDLED)
        return await self._in_turn([first, *settings.model_fallbacks])

    async def small(self, main: ChatModel) -> ChatModel:
        """SMALL_MODEL with its fallbacks, or the main model."""
        settings = self._settings
        if not settings.small_model:
            return main
        first = ModelName(name=settings.small_model)
        return await self._in_turn([first, *settings.small_model_fallbacks])

    async def _in_turn(self, names: Sequence[ModelName]) -> ChatModel:
        models = [await self._one(name) for name in names]
        return models[0] if len(models) == 1 else FallbackModel(models)

    async def _one(self, name: ModelName) -> ChatModel:
        if name.name == BUNDLED:
            return await self._embedded()
        return await self._opened.enter_async_context(endpoint_model(self._settings, name))

    async def _embedded(self) -> ChatModel:
        if self._bundled is None:
            model = BundledModel(self._settings.local_model or BUNDLED)
            self._bundled = await self._opened.enter_async_context(model)
        return self._bundled


def endpoint_model(settings: Settings, name: ModelName) -> OpenAIModel:
    """A model of an endpoint. The key goes to OPENAI_BASE_URL alone."""
    key = settings.openai_api_key
    return OpenAIModel(
        base_url=name.base_url or settings.openai_base_url,
        api_key=key.get_secret_value() if key and name.base_url is None else None,
        model=name.name,
        context_tokens=settings.context_tokens,
        system=settings.model_system_role,
    )


async def offered_models(settings: Settings) -> Sequence[str]:
    """The names that the endpoint lists. Raises ModelError."""
    async with endpoint_model(settings, ModelName(name=settings.model or "")) as model:
        return await model.offered()
