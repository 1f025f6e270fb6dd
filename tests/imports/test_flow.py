"""From a file to memories: batches, resuming, who speakers become, who is left out."""

import asyncio
import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import numpy as np
import pytest
from numpy.typing import NDArray

from bot.emotion import Emotion
from bot.errors import EmbeddingError, ImportFileError, SettingsError
from bot.imports.conversation import Format
from bot.imports.flow import BATCH, ImportReport, import_file
from bot.imports.people import read_map
from bot.memory import Event, EventKind
from bot.passages import passage
from bot.persona import Persona
from bot.ports import Storage
from bot.world import AccountKey, Hearing
from tests.fakes import NeutralScorer, WordEmbedder, a_persona

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
ANA = AccountKey(platform="discord", user="123")


def silent(done: int, total: int) -> None:
    assert 0 <= done <= total


async def bring_in(
    store: Storage,
    text: str,
    *,
    name: str = "chat.txt",
    persona: Persona | None = None,
    people: dict[str, AccountKey] | None = None,
    embedder: WordEmbedder | None = None,
    progress: Callable[[int, int], None] = silent,
    identities: bool = False,
) -> ImportReport:
    return await import_file(
        name,
        text.encode(),
        persona=persona or a_persona(),
        storage=store,
        embedder=embedder or WordEmbedder(),
        scorer=NeutralScorer(),
        people=people or {},
        default_time=NOW,
        progress=progress,
        identities=identities,
    )


async def remembered(store: Storage, words: str, persona: Persona | None = None) -> list[Event]:
    """The imported lines that share words with these, whoever of the archive would hear."""
    who = persona or a_persona()
    agent = await store.persona(who.key, who.name)
    vector = (await WordEmbedder().embed([words], kind="query"))[0]
    speakers: set[int] = set()
    for name in ("Ana", "Ben", "Cem"):
        speakers |= {one.id for one, _ in await store.people_named(name)}
    hearing = Hearing(persona=agent.id, people=tuple(speakers))
    found = await store.nearest(vector, "words", hearing, limit=10_000)
    return sorted((each.event for each in found), key=lambda event: event.at)


def transcript(count: int) -> str:
    return "\n".join(f"{'Ana' if number % 2 else 'Ben'}: line {number}" for number in range(count))


async def test_lines_are_stored_with_speaker_time_and_kind(store: Storage) -> None:
    report = await bring_in(store, "[2024-03-01 18:00] Ana: the lamp\n[2024-03-01 18:01] Ben: lit")
    lamp, lit = await remembered(store, "lamp")
    assert (report.format, report.new, report.known) == (Format.TRANSCRIPT, 2, 0)
    assert (lamp.speaker_name, lamp.text, lamp.kind) == ("Ana", "the lamp", EventKind.IMPORT)
    assert lamp.at == datetime(2024, 3, 1, 18, tzinfo=UTC)
    assert lit.place_name == report.archives[0]
    assert report.speakers == {"Ana": "a person of this import", "Ben": "a person of this import"}


async def test_a_second_import_under_another_name_changes_nothing(store: Storage) -> None:
    await bring_in(store, transcript(10))
    embedder = WordEmbedder()
    report = await bring_in(store, transcript(10), name="copy.txt", embedder=embedder)
    assert (report.new, report.known) == (0, 10)
    assert embedder.asked == []
    assert len(await remembered(store, "line")) == 10


async def test_equal_texts_are_all_kept(store: Storage) -> None:
    report = await bring_in(store, "Ana: ok\nBen: ok\nAna: ok\nAna: ok")
    assert report.new == 4


async def test_what_is_embedded_names_the_speaker(store: Storage) -> None:
    embedder = WordEmbedder()
    await bring_in(store, "Ana: the lamp", embedder=embedder)
    assert embedder.asked == [passage("Ana", "the lamp")] == ["Ana: the lamp"]


class Failing(WordEmbedder):
    """Works for so many batches, then fails or waits for ever."""

    def __init__(self, batches: int, *, hang: bool = False) -> None:
        super().__init__()
        self.left = batches
        self.hanging = asyncio.Event()
        self.hang = hang

    async def embed(self, texts: Sequence[str], *, kind: str) -> NDArray[np.float32]:
        if self.left == 0:
            self.hanging.set()
            if self.hang:
                await asyncio.Event().wait()
            raise EmbeddingError("The encoder is gone; start again.")
        self.left -= 1
        return await super().embed(texts, kind=kind)


async def test_an_import_that_failed_goes_on_where_it_was(store: Storage) -> None:
    text = transcript(2 * BATCH + 10)
    with pytest.raises(EmbeddingError):
        await bring_in(store, text, embedder=Failing(1))
    embedder = WordEmbedder()
    report = await bring_in(store, text, embedder=embedder)
    assert (report.new, report.known) == (BATCH + 10, BATCH)
    assert len(embedder.asked) == BATCH + 10
    assert len(await remembered(store, "line")) == 2 * BATCH + 10


async def test_an_import_that_is_cancelled_loses_no_finished_batch(store: Storage) -> None:
    text = transcript(2 * BATCH)
    embedder = Failing(1, hang=True)
    task = asyncio.create_task(bring_in(store, text, embedder=embedder))
    await embedder.hanging.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    report = await bring_in(store, text)
    assert (report.new, report.known) == (BATCH, BATCH)


async def test_progress_ends_at_the_number_of_lines(store: Storage) -> None:
    seen: list[tuple[int, int]] = []
    await bring_in(store, transcript(BATCH + 1), progress=lambda *step: seen.append(step))
    assert seen == [(0, BATCH + 1), (BATCH, BATCH + 1), (BATCH + 1, BATCH + 1)]


async def test_a_name_of_the_persona_is_the_persona(store: Storage) -> None:
    persona = a_persona(nicknames=["Keeper"])
    report = await bring_in(store, "ida: the lamp\nKEEPER: lit\nAna: good", persona=persona)
    lines = await remembered(store, "lamp", persona)
    agent = await store.persona(persona.key, persona.name)
    assert [line.speaker.id for line in lines[:2]] == [agent.id, agent.id]
    assert report.speakers["KEEPER"] == "the persona Ida"
    assert await store.people_named("Ida") == []


async def test_a_person_called_like_the_persona_can_be_mapped(store: Storage) -> None:
    await bring_in(store, "Ida: mine\nAna: hi", people={"Ida": ANA})
    person = await store.person(ANA)
    (mine, _) = await remembered(store, "mine")
    assert person is not None
    assert mine.speaker.id == person.id


async def test_mapped_names_are_accounts_whatever_their_case(store: Storage) -> None:
    report = await bring_in(store, "Ana: hi\nBen: hey", people={"ANA": ANA})
    person = await store.person(ANA)
    hi, hey = await remembered(store, "hi")
    assert person is not None
    assert (hi.speaker.id, report.speakers["Ana"]) == (person.id, "discord:123")
    assert hey.speaker.id != person.id
    assert report.warnings == ()


async def test_a_mapped_name_that_nobody_bears_is_said_with_the_speakers(store: Storage) -> None:
    report = await bring_in(store, "Ana: hi\nBen: hey", people={"Cem": ANA})
    assert report.warnings == (
        "--map names Cem, but nobody there is called so; the speakers are Ana, Ben.",
    )


async def test_people_of_two_archives_are_not_one_for_their_name(store: Storage) -> None:
    await bring_in(store, "Ana: hi\nBen: hey")
    await bring_in(store, "Ana: other\nBen: talk")
    assert len({one.id for one, _ in await store.people_named("Ana")}) == 2


TELEGRAM = json.dumps(
    {
        "name": "Mira",
        "type": "bot_chat",
        "id": 9,
        "messages": [
            {"id": 1, "type": "message", "date_unixtime": "1697373000", "from": "Ana",
             "from_id": "user5", "text": "storm"},
            {"id": 2, "type": "message", "date_unixtime": "1697373060", "from": "Mira",
             "from_id": "user9", "text": "stay"},
        ],
    }
)  # fmt: skip
TELEGRAM_ANA = AccountKey(platform="telegram", user="5")


@pytest.mark.parametrize("identities", [True, False])
async def test_accounts_in_the_file_count_only_when_asked_for(
    store: Storage, *, identities: bool
) -> None:
    await bring_in(store, TELEGRAM, identities=identities)
    assert (await store.person(TELEGRAM_ANA) is not None) is identities


async def test_bots_are_left_out_unless_they_are_the_persona(store: Storage) -> None:
    report = await bring_in(store, TELEGRAM)
    assert (report.new, report.withheld) == (1, 1)
    assert report.speakers["Mira"] == "a bot: left out"
    mira = a_persona("mira", "Mira")
    assert (await bring_in(store, TELEGRAM, persona=mira)).withheld == 0


@pytest.mark.parametrize("identities", [True, False])
async def test_nothing_of_who_opted_out_is_embedded_or_stored(
    store: Storage, *, identities: bool
) -> None:
    await store.opt_out(TELEGRAM_ANA, NOW)
    embedder = WordEmbedder()
    report = await bring_in(store, TELEGRAM, embedder=embedder, identities=identities)
    assert embedder.asked == []
    assert (report.new, report.withheld) == (0, 2)
    assert report.speakers["Ana"] == "opted out: nothing was kept"


async def test_a_mapped_account_that_opted_out_is_left_out(store: Storage) -> None:
    await store.opt_out(ANA, NOW)
    embedder = WordEmbedder()
    report = await bring_in(store, "Ana: hi\nBen: hey", people={"Ana": ANA}, embedder=embedder)
    assert embedder.asked == ["Ben: hey"]
    assert (report.new, report.withheld) == (1, 1)


async def test_a_second_persona_can_be_given_the_same_file(store: Storage) -> None:
    mira = a_persona("mira", "Mira")
    await bring_in(store, transcript(4))
    await bring_in(store, transcript(4), persona=mira)
    assert len(await remembered(store, "line", mira)) == 4
    assert (await bring_in(store, transcript(4), persona=mira)).known == 4


async def test_emotions_are_scored_on_the_words_alone(store: Storage) -> None:
    class Listening(NeutralScorer):
        heard: Sequence[str] = ()

        async def score(self, texts: Sequence[str]) -> list[Emotion]:
            self.heard = texts
            return await super().score(texts)

    scorer = Listening()
    await import_file(
        "f", b"Ana: hi", persona=a_persona(), storage=store, embedder=WordEmbedder(),
        scorer=scorer, people={}, default_time=NOW, progress=silent,
    )  # fmt: skip
    assert scorer.heard == ["hi"]


async def test_a_long_text_is_stored_whole(store: Storage) -> None:
    await bring_in(store, "Ana: " + "word " * 20_000)
    (line,) = await remembered(store, "word")
    assert line.text == ("word " * 20_000).strip()


async def test_the_event_loop_goes_on_while_a_file_is_read(store: Storage) -> None:
    text = "\n".join(f"Ana: {number} {'x' * 40}" for number in range(8_000))
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.002)
            ticks += 1

    ticking = asyncio.create_task(tick())
    with pytest.raises(EmbeddingError):
        await bring_in(store, text, embedder=Failing(0))
    ticking.cancel()
    assert ticks > 10


async def test_a_file_that_cannot_be_read_leaves_nothing_behind(store: Storage) -> None:
    before = await store.counts()
    with pytest.raises(ImportFileError):
        await bring_in(store, "no names here")
    assert await store.counts() == before


def test_map_items_are_read() -> None:
    items = ["Ana=discord:123", " Ben B = Telegram:-5 ", "a=b=discord:7", "Ana=discord:123"]
    assert read_map(items) == {
        "Ana": ANA,
        "Ben B": AccountKey(platform="telegram", user="-5"),
        "a=b": AccountKey(platform="discord", user="7"),
    }


@pytest.mark.parametrize(
    "item", ["", "Ana", "=discord:1", "Ana=discord", "Ana=:1", "Ana=discord:", "Ana=dis cord:1"]
)
def test_a_map_item_of_another_form_is_explained(item: str) -> None:
    with pytest.raises(SettingsError, match=r"Ana=discord:123456789"):
        read_map([item])


def test_a_name_cannot_have_two_accounts() -> None:
    with pytest.raises(SettingsError, match="two accounts, discord:1 and discord:2"):
        read_map(["Ana=discord:1", "Ana=discord:2"])
