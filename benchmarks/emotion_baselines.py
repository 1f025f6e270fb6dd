"""What the emotion scorer must beat: word counts with a linear model, and the usual answer."""

from collections.abc import Sequence
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.multiclass import OneVsRestClassifier

from benchmarks.emotion_data import Labelled, Rated, targets
from bot.emotion import DIMENSIONS

Floats = NDArray[np.float64]

TFIDF_NAMED: Final = 0.2
"""From this probability on TF-IDF names a dimension: the best of a grid on GoEmotions' dev
part (0.2: macro-F1 .554, 0.3: .532, 0.5: .446), so chosen in the baseline's favour."""


def _tfidf(texts: Sequence[str]) -> TfidfVectorizer:
    """Words and pairs of words; pairs of characters where words are not set apart."""
    spaced = sum(" " in text.strip() for text in texts) * 2 > len(texts)
    if spaced:
        return TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True)
    return TfidfVectorizer(analyzer="char", ngram_range=(1, 2), min_df=2, sublinear_tf=True)


def tfidf_one(train: Sequence[Labelled], test: Sequence[str]) -> Floats:
    """Probabilities (n, 8) of a multinomial logistic regression on the one-label lines."""
    lines = [line for line in train if len(line.named) == 1]
    vectorizer = _tfidf([line.text for line in lines])
    inputs = vectorizer.fit_transform([line.text for line in lines])
    model = LogisticRegression(C=3.0, class_weight="balanced", max_iter=300)
    model.fit(inputs, [named[0] for named in targets(lines)])
    found = np.zeros((len(test), len(DIMENSIONS)))
    found[:, model.classes_] = model.predict_proba(vectorizer.transform(test))
    return found


def tfidf_many(train: Sequence[Labelled], test: Sequence[str]) -> Floats:
    """Probabilities (n, 8) of one logistic regression per dimension."""
    vectorizer = _tfidf([line.text for line in train])
    inputs = vectorizer.fit_transform([line.text for line in train])
    goal = np.zeros((len(train), len(DIMENSIONS)), dtype=int)
    for row, named in zip(goal, targets(train), strict=True):
        row[list(named)] = 1
    model = OneVsRestClassifier(LogisticRegression(C=5.0, max_iter=300)).fit(inputs, goal)
    return cast("Floats", model.predict_proba(vectorizer.transform(test)))


def tfidf_axes(train: Sequence[Rated], test: Sequence[str]) -> Floats:
    """Valence and arousal (n, 2) by ridge regression."""
    vectorizer = _tfidf([line.text for line in train])
    inputs = vectorizer.fit_transform([line.text for line in train])
    goal = np.array([[line.valence, line.arousal or 0.0] for line in train])
    return cast("Floats", Ridge(alpha=1.0).fit(inputs, goal).predict(vectorizer.transform(test)))


def majority(train: Sequence[Labelled], count: int) -> Floats:
    """The most frequent dimension for each of `count` lines: 1 there and 0 elsewhere."""
    found = np.zeros((count, len(DIMENSIONS)))
    found[:, np.bincount([at for named in targets(train) for at in named]).argmax()] = 1
    return found
