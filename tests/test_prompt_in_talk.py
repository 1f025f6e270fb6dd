"""The prompt that a talk leads to, with all that a persona has in mind, in tiny and large rooms."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from bot.ports import Storage
from bot.world import Answers
from tests.conftest import MakeEngine
from tests.fakes import FakeClock, ListPlatform, ScriptedChat, a_persona, room, says
from tests.stream.feelings import WordScorer

SNAPSHOTS = Path(__file__).parent / "snapshots"
KITCHEN = room("kitchen")
IDA = a_persona(
    personality="Dry, patient, curious about strangers.",
    voice="Short sentences.",
    scenario="An evening in the kitchen below the lamp.",
    examples=[{"user": "Is it lonely?", "reply": "Ask the gulls. They never stop."}],
    lore=[{"keys": ["foghorn"], "text": "The foghorn has been broken since 1987."}],
    scene=[{"item": "lamp", "state": "lit"}],
    memories=[
        {"when": f"19{70 + n}", "text": f"In year {n} the storm took a boat and left us rope {n}."}
        for n in range(12)
    ],
)
TALK: Sequence[tuple[str, str]] = (
    ("Ana", "Ida, good evening, what a lovely kitchen"),
    ("Ben", "evening all, I brought bread from the market in the old town"),
    ("Ana", "*lights the fire*"),
    ("Ben", "Cleo is moving to Porto in May"),
    ("Ana", "Ida, I hate this storm, you are stupid to stay here, I hate it"),
    *((name, f"Line {n}: " + "the boats came in late again, " * 6) for n, name in
      enumerate(["Ana", "Ben"] * 9)),
    ("Ana", "Ida, does the foghorn still sound in a storm?"),
)  # fmt: skip


@pytest.mark.parametrize("size", [("tiny", 2_048), ("large", 16_384)], ids=lambda size: size[0])
async def test_the_prompt_of_a_full_evening_reads_as_its_snapshot(
    store: Storage,
    make_engine: MakeEngine,
    clock: FakeClock,
    model: ScriptedChat,
    size: tuple[str, int],
) -> None:
    name, model.context_tokens = size
    model.script = lambda lines: "Aye."
    platform = ListPlatform()
    async with make_engine(store, personas=(IDA,), scorer=WordScorer()) as engine:
        place = await store.place(KITCHEN)
        await store.open_place(place.id, listens=True, answers=Answers.ADDRESSED)
        for who, text in TALK:
            clock.pass_time(seconds=50)
            await engine.handle(says(who, text, KITCHEN, at=clock.now()), platform.send)
            await engine.idle()
    text = "\n".join(f"[{line.role}]\n{line.text}\n" for line in model.prompts[-1])
    file = SNAPSHOTS / f"prompt-evening-{name}.txt"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")
