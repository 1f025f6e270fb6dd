"""Heads that never saw the lines they are asked about, for the emotion bench's `cv`."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from adapters.emotion.heads import KINDS, load, shares
from adapters.emotion.local import ENGLISH, THRESHOLD, WEIGHTS
from benchmarks import emotion_data as sets
from benchmarks.emotion_folds import axes_by_folds, speech_by_folds
from benchmarks.emotion_measures import Floats
from benchmarks.emotion_rows import WIDTH, axes_row, one_label_row
from benchmarks.emotion_shipped import vectors_of
from benchmarks.record import Options, Row
from benchmarks.train_emotion import SPEECH, dense, rated_lines, speech_lines
from bot.feeling import felt, vector


def by_folds_rows(name: str, options: Options) -> list[Row]:
    """Heads for one encoder, trained on four fifths and asked about the rest, for XED in each of
    its languages and EmoBank; on as many lines as the shipped heads learn from, or `limit`.

    "head": the eight outputs for speech alone. The other row is the whole scorer with these
    outputs; its part for posts, the choice between both, and the encoder's corrections come
    from GoEmotions' training part (the choice from XED as well: it tells where a line is from,
    never its label). Each language learns from itself alone here, since the same film line
    may stand in several; the shipped multilingual head learns from all.
    """
    assert options.data is not None
    data, seed = options.data, options.seed
    vectors = vectors_of(name, options.cache, options.progress)
    rows: list[Row] = []
    for language in ("en",) if name == ENGLISH else SPEECH:
        if sets.xed_files(data, language) is None:
            continue
        lines = speech_lines(data, name, language)[: options.limit]
        inputs = dense(vectors, [line.text for line in lines])
        options.progress("folds", len(rows), len(sets.LANGUAGES))
        logits = speech_by_folds(lines, inputs, seed=seed)
        subset = f"xed-{language}"
        rows.append(one_label_row(f"local {name}, head by folds", subset, lines, logits, seed=seed))
        texts = [line.text for line in lines]
        said = scores_with(name, texts, inputs.astype(np.float32), logits)
        rows.append(one_label_row(f"local {name}, by folds", subset, lines, said, seed=seed))
    if sets.parts(data / "emobank", "csv") is not None:
        rated = rated_lines(data, name)[: options.limit]
        found = axes_by_folds(rated, dense(vectors, [line.text for line in rated]), seed=seed)
        rows.append(axes_row(f"local {name}, by folds", "emobank", rated, found, seed=seed))
    return rows


def scores_with(
    name: str, texts: Sequence[str], vectors: NDArray[np.float32], logits: Floats
) -> Floats:
    """The scores (n, 8) of the shipped scorer with other `logits` for speech, as 0..1."""
    outputs = load(WEIGHTS / f"{name}.npz", "kinds").outputs(vectors, texts)
    outputs[:, WIDTH + 1 : KINDS - 1] = logits
    return np.array(
        [
            vector(felt(row.tolist(), valence=0.0, arousal=0.0, threshold=THRESHOLD))
            for row in shares(outputs)
        ]
    )
