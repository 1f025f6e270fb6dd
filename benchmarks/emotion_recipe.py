"""How the shipped heads are made from labelled lines and their sentence vectors."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.linear_model import Ridge

from adapters.emotion.heads import KINDS, Linear
from adapters.emotion.words import BUCKETS
from benchmarks.emotion_data import Labelled, Rated, targets
from benchmarks.emotion_fit import Design, Softmax, counted, fit_softmax, rarity, weighted
from bot.emotion import DIMENSIONS

Floats = NDArray[np.float64]

SCALE: Final = 4.0  # what unit vectors are multiplied with, so that both decays fit
DENSE_DECAY: Final = 2e-3
WORDS_DECAY: Final = 1e-4
LEVELLING: Final = 0.7
"""How far rare kinds of speech are lifted: 0 as frequent as in the data, 1 all alike. Chosen by
cross-validation on XED English (0: macro-F1 .466, 0.7: .471)."""

GATE_DECAY: Final = 3e-5
GATE_SHIFT: Final = -1.0
"""In doubt a text is a post: they are 2.6 times as many (about e to the 1). Without the shift a
seventh of GoEmotions' dev part is taken for speech (macro-F1 .599), with it a tenth (.607)."""

WORDING_DECAY: Final = 2e-5
WORDING_SHARE: Final = 0.2
"""How much of what is said of posts comes from the wording alone. On GoEmotions' dev part the
corrected encoder reaches macro-F1 .618, with a fifth of wording .623, with a half .617."""

DRILL_DECAY: Final = 1e-3
"""Keeps what drills change of the judgement of posts small."""

AXES_SCALE: Final = 2.0
AXES_DECAY: Final = 5.0
AXES_GAIN: Final = 2.0
"""Least squares pulls estimates towards the mean: they vary half as much as people's ratings.
The gain makes up for it, so that -1..1 is used."""

NONE: Final = len(DIMENSIONS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """Lines to learn from, their hashed wording and, where they are needed, their vectors."""

    lines: Sequence[Labelled]
    counts: sparse.csr_matrix
    vectors: Floats | None = None

    def design(self, idf: Floats, wide: int) -> Design:
        """`wide` zeros stand for the vectors of a lesson about the wording alone."""
        vectors = np.zeros((len(self.lines), wide)) if self.vectors is None else self.vectors
        return Design(dense=vectors * SCALE, words=weighted(self.counts, idf))


def lesson(lines: Sequence[Labelled], vectors: Floats | None = None) -> Lesson:
    return Lesson(lines=lines, counts=counted([line.text for line in lines]), vectors=vectors)


def without_wording(lines: Sequence[Labelled]) -> Lesson:
    """A lesson that only tells how frequent each kind is."""
    return Lesson(lines=lines, counts=sparse.csr_matrix((0, BUCKETS)))


def both(one: Lesson, other: Lesson) -> Lesson:
    """Two lessons with vectors as one."""
    assert one.vectors is not None
    assert other.vectors is not None
    return Lesson(
        lines=[*one.lines, *other.lines],
        counts=sparse.csr_matrix(sparse.vstack([one.counts, other.counts])),
        vectors=np.concatenate([one.vectors, other.vectors]),
    )


def fit_kinds(
    speech: Lesson, posts: Lesson, sampled: Lesson, drills: Lesson, head: Softmax | None
) -> Linear:
    """The `kinds` part of `adapters.emotion.heads`.

    `posts` are all there are, `sampled` some of them; the others have vectors. With `head`, which
    was learnt with the encoder's corrections, posts are judged by it, by their wording, and by
    what drills add to both; without it by a head on vectors and wording of `sampled` and drills.
    """
    assert speech.vectors is not None
    wide = speech.vectors.shape[1]
    written_down = posts if head else sampled
    counts = [speech.counts, written_down.counts, drills.counts]
    idf = rarity(sparse.csr_matrix(sparse.vstack(counts)))
    usual = usual_kinds(posts.lines)
    drilled = both(sampled, drills).design(idf, wide)
    lines = [*sampled.lines, *drills.lines]
    if head is None:
        written = _fit_posts(drilled, lines, usual, len(drills.lines))
    else:
        written = _mixed(head, _fit_wording(posts.design(idf, 1), posts.lines), wide)
        written = _added(written, _fit_drilled(drilled, lines, written, usual, len(drills.lines)))
    spoken = both(speech, drills)
    parts = [
        written,
        _fit_speech(spoken.design(idf, wide), spoken.lines),
        _fit_gate(speech.design(idf, wide), sampled.design(idf, wide)),
    ]
    return Linear(
        dense=np.concatenate([p.dense_w for p in parts], axis=1).astype(np.float32) * SCALE,
        words=np.concatenate([p.words_w for p in parts], axis=1).astype(np.float32),
        bias=np.concatenate([p.bias for p in parts]).astype(np.float32),
        rarity=idf.astype(np.float32),
    )


def _mixed(head: Softmax, wording: Softmax, wide: int) -> Softmax:
    """The head of the corrected encoder, whose vector is the last, with some of the wording's."""
    dense = np.zeros((wide, len(head.bias)))
    dense[-head.dense_w.shape[0] :] = head.dense_w / SCALE * (1 - WORDING_SHARE)
    return Softmax(
        dense_w=dense,
        words_w=wording.words_w * WORDING_SHARE,
        bias=head.bias * (1 - WORDING_SHARE) + wording.bias * WORDING_SHARE,
    )


def _added(one: Softmax, other: Softmax) -> Softmax:
    return Softmax(
        dense_w=one.dense_w + other.dense_w,
        words_w=one.words_w + other.words_w,
        bias=one.bias + other.bias,
    )


def fit_speech(speech: Sequence[Labelled], vectors: Floats) -> Linear:
    """The outputs 9..16 of the `kinds` part alone, for measuring by folds."""
    counts = counted([line.text for line in speech])
    idf = rarity(counts)
    design = Design(dense=vectors * SCALE, words=weighted(counts, idf))
    part = _fit_speech(design, speech)
    return Linear(
        dense=(part.dense_w * SCALE).astype(np.float32),
        words=part.words_w.astype(np.float32),
        bias=part.bias.astype(np.float32),
        rarity=idf.astype(np.float32),
    )


def spoken_feeling(lines: Sequence[Labelled]) -> Floats:
    """What the outputs for speech should say; a drill without feeling leaves them undecided."""
    rows = wanted(lines, NONE + 1)[:, :NONE]
    rows[rows.sum(axis=1) == 0] = 1 / NONE
    return rows


def wanted(lines: Sequence[Labelled], kinds: int) -> Floats:
    """What a softmax should say of each line: its dimensions alike, or the last kind if none."""
    rows = np.zeros((len(lines), kinds))
    for row, named in zip(rows, targets(lines), strict=True):
        row[list(named) or [NONE]] = 1 / max(len(named), 1)
    return rows


def _fit_posts(design: Design, lines: Sequence[Labelled], usual: Floats, drills: int) -> Softmax:
    """The kinds of posts; the last `drills` of the lines are no posts, and as rare as they are."""
    goal = wanted(lines, NONE + 1)
    posts = goal[: len(goal) - drills]
    shift = np.zeros_like(goal)
    shift[: len(posts)] = np.log(posts.mean(axis=0)) - np.log(usual)
    return fit_softmax(design, goal, shift, dense_decay=DENSE_DECAY, words_decay=WORDS_DECAY)


def _fit_drilled(
    design: Design, lines: Sequence[Labelled], written: Softmax, usual: Floats, drills: int
) -> Softmax:
    """What is to be added to `written` so that it knows the drills and still tells posts."""
    goal = wanted(lines, NONE + 1)
    posts = goal[: len(goal) - drills]
    known = written.logits(design)
    known[: len(posts)] += np.log(posts.mean(axis=0)) - np.log(usual)
    return fit_softmax(design, goal, known, dense_decay=DRILL_DECAY, words_decay=DRILL_DECAY)


def _fit_speech(design: Design, speech: Sequence[Labelled]) -> Softmax:
    goal = spoken_feeling(speech)
    lift = LEVELLING * np.log(goal.mean(axis=0))
    return fit_softmax(
        design,
        goal,
        np.tile(lift, (len(speech), 1)),
        dense_decay=DENSE_DECAY,
        words_decay=WORDS_DECAY,
    )


def _fit_wording(design: Design, posts: Sequence[Labelled]) -> Softmax:
    """The kinds of posts by their wording alone."""
    return fit_softmax(
        design,
        wanted(posts, NONE + 1),
        np.zeros((len(posts), NONE + 1)),
        dense_decay=1.0,
        words_decay=WORDING_DECAY,
    )


def _fit_gate(speech: Design, posts: Design) -> Softmax:
    """One logit: speech rather than a post."""
    sizes = (speech.dense.shape[0], posts.dense.shape[0])
    goal = np.repeat(np.eye(2), sizes, axis=0)
    fitted = fit_softmax(
        Design(
            dense=np.concatenate([speech.dense, posts.dense]),
            words=sparse.csr_matrix(sparse.vstack([speech.words, posts.words])),
        ),
        goal,
        np.zeros_like(goal),
        dense_decay=GATE_DECAY,
        words_decay=GATE_DECAY,
        weight=np.repeat([sum(sizes) / 2 / size for size in sizes], sizes),
    )
    return Softmax(
        dense_w=fitted.dense_w[:, :1] - fitted.dense_w[:, 1:],
        words_w=fitted.words_w[:, :1] - fitted.words_w[:, 1:],
        bias=fitted.bias[:1] - fitted.bias[1:] + GATE_SHIFT,
    )


def fit_axes(rated: Sequence[Rated], vectors: Floats) -> Linear:
    """The `axes` part: valence and arousal by ridge regression on vectors and wording."""
    counts = counted([line.text for line in rated])
    idf = rarity(counts)
    inputs = sparse.hstack([sparse.csr_matrix(vectors * AXES_SCALE), weighted(counts, idf)])
    goal = np.array([[line.valence, line.arousal or 0.0] for line in rated])
    middle = goal.mean(axis=0)
    fitted = Ridge(alpha=AXES_DECAY, solver="sparse_cg", tol=1e-5, fit_intercept=False).fit(
        inputs.tocsr(), goal - middle
    )
    weights = cast("Floats", fitted.coef_).T
    wide = vectors.shape[1]
    return Linear(
        dense=(weights[:wide] * AXES_SCALE * AXES_GAIN).astype(np.float32),
        words=(weights[wide:] * AXES_GAIN).astype(np.float32),
        bias=np.zeros(2, dtype=np.float32),
        rarity=idf.astype(np.float32),
    )


def usual_kinds(posts: Sequence[Labelled]) -> Floats:
    """How frequent the nine kinds are among all posts."""
    return cast("Floats", wanted(posts, NONE + 1).mean(axis=0))


def sample(posts: Sequence[Labelled], count: int, seed: int) -> list[Labelled]:
    """`count` posts in their order, rare kinds more often: by the root of their rarity."""
    goal = wanted(posts, NONE + 1).astype(np.float32)
    chance = np.sqrt((goal / np.maximum(goal.sum(axis=0), 1)).sum(axis=1))
    generator = np.random.default_rng(seed)
    count = min(count, len(posts))
    chosen = generator.choice(len(posts), count, replace=False, p=chance / chance.sum())
    return [posts[at] for at in np.sort(chosen)]


assert KINDS == 2 * NONE + 2
