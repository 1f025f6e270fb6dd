"""Words of self-harm get a careful answer in plain words."""

import logging
from collections.abc import AsyncIterator

import pytest

from bot.engine import Engine
from bot.ports import Storage
from bot.safety import careful_answer, is_crisis
from tests.conftest import MakeEngine
from tests.fakes import ListPlatform, ScriptedChat, says


@pytest.mark.parametrize(
    "text",
    [
        "I want to die",
        "i wanna die",
        "I'm going to kill myself tonight",
        "I don't want to live anymore",
        "been feeling suicidal lately",
        "everyone would be better off without me",
        "there is no reason to live",
        "I cut myself again, self-harm is the only thing",
        "me quiero morir",
        "ya no quiero vivir",
        "voy a matarme",
        "我想自杀",
        "不想活了",
        "活着没意思",
    ],
)
def test_words_of_self_harm_are_noticed(text: str) -> None:
    assert is_crisis(text)


@pytest.mark.parametrize(
    "text",
    [
        "I'm dying of laughter",
        "this game is killing me",
        "I want to die of embarrassment",
        "me quiero morir de risa",
        "笑死我了",
        "my plants died",
        "I cut my hair myself",
        "he killed the lights",
        "I want to dive",
    ],
)
def test_a_manner_of_speaking_is_not_taken_for_it(text: str) -> None:
    assert not is_crisis(text)


def test_the_operators_help_lines_are_named() -> None:
    assert "116 123" in careful_answer("en", "Samaritans: 116 123")
    assert "112" in careful_answer("fr", "")
    assert "热线" in careful_answer("zh", "")


@pytest.fixture
async def engine(store: Storage, make_engine: MakeEngine) -> AsyncIterator[Engine]:
    async with make_engine(store, help_lines="Samaritans: 116 123") as made:
        yield made


async def test_the_answer_is_plain_quick_and_logged_without_the_text(
    engine: Engine, model: ScriptedChat, caplog: pytest.LogCaptureFixture
) -> None:
    platform = ListPlatform()
    with caplog.at_level(logging.INFO):
        await engine.handle(says("Ana", "honestly I want to die"), platform.send)
    assert "stepping out of my part" in platform.texts[0]
    assert "116 123" in platform.texts[0]
    assert platform.sent[0].speaker == ""
    assert model.prompts == []
    assert "careful answer" in caplog.text
    assert "want to die" not in caplog.text
