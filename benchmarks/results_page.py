"""The page docs/results.md, made from the records alone."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from benchmarks.aims import against_plain, reached

HEAD = """# Results

This page is made by `make figures` from the records in `results/`; do not edit it. Each record is
what `main.py bench NAME --data DIR --json` printed. Intervals are 95 % bootstrap intervals of the
mean. Rows named "bower" are the program's own recall, run from a real database, with feelings read
from the text by the local scorer; all others are baselines on the same texts and vectors. The sets
are the development parts; weights were tuned on them, so figures on new data may be lower. In the
figures the default is dark, other strategies light, baselines grey.
"""

ABOUT: Mapping[str, str] = {
    "locomo": "[LoCoMo](https://github.com/snap-research/locomo) (CC BY-NC 4.0): very long "
    "conversations of two people, and questions with the turns that answer them. R@k is the "
    "share of these turns, or of their sessions, among the first k.",
    "madial": "[MADial-Bench](https://github.com/hejunqing/MADial-Bench) (MIT): the memories that "
    "a dialogue calls for, before they are told. *match*, *regulate* and *off* are the modes of "
    "the default strategy; a persona that says nothing else has *match*, which is the row "
    "*default*.",
    "affect": "Scenarios of [emotional-memory](https://github.com/gianlucamazza/emotional-memory) "
    "(CC BY 4.0), those that give no emotional state. *Emotion only* ranks by feeling without "
    "reading the text, *semantic only* by meaning alone.",
    "congruence": "Lines said to roles of ChatHaruhi and what they answered. Distance in feeling "
    "of the first ten memories to the line (lower is more congruent), and what it costs in "
    "meaning. *Felt*: lines that feel so much that it plays a part in the default. The texts are "
    "from commercial works and are measured on only.",
    "speed": "Recall with all signals on made-up memories, without the encoder, against a scan of "
    "the same vectors in NumPy and the peer's own recall. Milliseconds are of the machine that "
    "made the record, which was busy; the ratio says more.",
    "rumours": "RumourEval-2017 (CC BY 4.0): what replies say of a rumour, and whether it is "
    "true. *Rules* is what the program does by itself, *learnt* a head on the vectors and rules, "
    "trained without the event it is asked about. The plain vote counts gold stances.",
    "names": "Minor characters of Friends who share a made-up first name: whom does a mention "
    "mean? *Told*: after each mention the chooser learns whether it was right, as in a talk; "
    "*alone*: it goes on from its own guesses. Three characters share a name, from any episodes "
    "or all from one. The constants of the decision were fitted to this part.",
    "discord": "The whole program on a Discord of its own, with 50 channels and a model that takes "
    "a second; ten messages a second, more than this machine's encoder manages, so people wait. "
    "Memory is looked at after each part. Other programs ran at the same time.",
    "telegram": "The same on a Bot API of its own, with 50 chats, 20 of them groups.",
    "emotion": "Scoring of feelings on public sets; see the [model card](emotion-model-card.md).",
}
WHY_MISSED = """Why something is missed, as far as it is known:

- The default is less congruent in feeling than the paper's strategies on purpose: they find
  memories twice as near in feeling, and a third less of what MADial-Bench and half of what LoCoMo
  looks for. The default lets feeling decide between memories that fit about equally well.
- Congruence in Chinese is worse than plain retrieval: the head of the multilingual encoder hardly
  ever finds a strong feeling there, so feeling plays no part, while words and telling lines lead
  a little away from the nearest meaning.
- MADial in Chinese hangs on the encoder: four bits of multilingual-e5-small find .554 of the
  memories by vectors alone.
- The whole scorer loses against its own head on XED because it calls a plain statement neutral;
  lines of films are labelled with the feeling of the scene.
- Speed: the default reads five to nine hundred candidates for each question out of the database,
  with their neighbours, where the peer holds all in memory; a turn's share for people is some two
  dozen transactions with about a hundred statements, a tenth of a millisecond each.
- Rumours: what people say about a rumour tells little of whether it is true, and each event, with
  its own mixture of true and false, is left out in turn.
"""

LEFT_OUT = frozenset({"versions", "rows", "bench", "n", "seed"})


def page(records: Sequence[Mapping[str, Any]], drawn: Collection[str]) -> str:
    """The whole page: for each record what it is, its figure if it has one, and its tables."""
    aims = _aims(records)
    parts = [HEAD, *aims, *_against_plain(records), *([WHY_MISSED] if aims else [])]
    for record in records:
        name = record["bench"]
        parts.append(f"## {name}\n\n{ABOUT.get(name, '')}\n".replace("\n\n\n", "\n"))
        parts.append(f"n = {record['n']}, seed {record['seed']}. {_settings(record)}\n")
        if name in drawn:
            parts.append(f"![{name}](results/{name}.png)\n")
        parts += [_table(subset, rows) for subset, rows in _by_subset(record["rows"]).items()]
    return "\n".join(parts)


def _aims(records: Sequence[Mapping[str, Any]]) -> list[str]:
    found = reached(records)
    if not found:
        return []
    lines = ["## Aims\n", "| aim | wanted | found | |", "|---|---|---|---|"]
    for one in found:
        aim, plus = one.aim, "+" if one.aim.over else ""
        wanted = f"{'≤' if aim.most else '≥'} {plus}{aim.value:g}"
        shown = f"{one.value:{plus}.3f}"
        if one.interval:
            shown += f" [{one.interval[0]:.3f}, {one.interval[1]:.3f}]"
        lines.append(f"| {aim.words} | {wanted} | {shown} | {one.verdict} |")
    return ["\n".join(lines) + "\n"]


def _against_plain(records: Sequence[Mapping[str, Any]]) -> list[str]:
    found = against_plain(records)
    if not found:
        return []
    lines = [
        "The default against plain semantic retrieval: *worse* and *better* mean outside of the "
        "interval of plain retrieval.\n",
        "| set | metric | plain | default | |",
        "|---|---|---|---|---|",
        *(
            f"| {bench}: {subset} | {metric} | {plain:.3f} | {ours:.3f} | {word} |"
            for bench, subset, metric, plain, ours, word in found
        ),
    ]
    return ["\n".join(lines) + "\n"]


def _settings(record: Mapping[str, Any]) -> str:
    said = [f"{key}: {value}" for key, value in record["settings"].items() if value is not None]
    return "; ".join(said) + "." if said else ""


def _by_subset(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    found: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["subset"], []).append(row)
    return found


def _table(subset: str, rows: Sequence[Mapping[str, Any]]) -> str:
    metrics = list(dict.fromkeys(metric for row in rows for metric in row["metrics"]))
    lines = [
        f"| {subset} | {' | '.join(metrics)} |",
        f"|---|{'---|' * len(metrics)}",
        *(f"| {row['name']} | {' | '.join(_cell(row, m) for m in metrics)} |" for row in rows),
    ]
    return "\n".join(lines) + "\n"


def _cell(row: Mapping[str, Any], metric: str) -> str:
    if metric not in row["metrics"]:
        return ""
    value = row["metrics"][metric]
    text = f"{value:.3f}" if abs(value) < 100 else f"{value:.0f}"
    if metric in row["interval"]:
        low, high = row["interval"][metric]
        return f"{text} [{low:.3f}, {high:.3f}]"
    return text
