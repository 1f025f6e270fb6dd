"""Which models an endpoint says it has."""

import pytest

from adapters.llm import OpenAIModel, Timeouts
from bot.errors import ModelDown, ModelRefused
from tests.scripted_model import Answer, ScriptedModel


def model_at(url: str, *, key: str | None = None) -> OpenAIModel:
    return OpenAIModel(base_url=url, api_key=key, model="m", timeouts=Timeouts(connect=2.0))


async def test_an_endpoint_lists_its_models() -> None:
    async with (
        ScriptedModel([Answer("Hello.")], models=["small", "large"]) as server,
        model_at(server.url) as model,
    ):
        assert await model.offered() == ["small", "large"]


async def test_a_wrong_key_is_refused() -> None:
    async with (
        ScriptedModel([Answer("Hello.")], api_key="right") as server,
        model_at(server.url, key="wrong") as model,
    ):
        with pytest.raises(ModelRefused, match="OPENAI_API_KEY"):
            await model.offered()


async def test_an_address_where_nobody_answers_is_down() -> None:
    async with model_at("http://127.0.0.1:9/v1") as model:
        with pytest.raises(ModelDown):
            await model.offered()


async def test_an_address_without_a_list_is_refused() -> None:
    async with (
        ScriptedModel([Answer("Hello.")]) as server,
        model_at(f"{server.url}/elsewhere") as model,
    ):
        with pytest.raises(ModelRefused):
            await model.offered()
