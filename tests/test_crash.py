"""`kill -9` at random moments under load: no half turn, nothing lost, nothing twice."""

import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from storage.driver import connect

ROOT = Path(__file__).parent.parent
KILLS = 15
MESSAGES = 400


def start(folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.crash_child", str(folder), str(MESSAGES)],
        cwd=ROOT,
        stderr=subprocess.PIPE,
    )


def wait_for_start(folder: Path, starts: int, child: subprocess.Popen[bytes]) -> None:
    """Returns when the child has begun, so that it is killed at work and not on its way."""
    sent = folder / "sent"
    while not sent.exists() or sent.read_text().count("start") < starts:
        assert child.poll() is None, child.stderr and child.stderr.read().decode()
        time.sleep(0.005)


@pytest.mark.timeout(900)  # it starts the program sixteen times
def test_kills_at_random_moments_lose_nothing_and_answer_nothing_twice(tmp_path: Path) -> None:
    chance = random.Random(7)
    for kill in range(KILLS):
        child = start(tmp_path)
        wait_for_start(tmp_path, kill + 1, child)
        time.sleep(chance.uniform(0.0, 0.25))
        child.send_signal(signal.SIGKILL)
        child.communicate()
        no_half_turn(tmp_path)
    child = start(tmp_path)
    _, errors = child.communicate()
    assert child.returncode == 0, errors.decode()
    every_message_has_exactly_one_reply(tmp_path)
    each_reply_went_out_once_but_for_the_doubtful_moment(tmp_path)


def rows(folder: Path, sql: str) -> list[tuple[object, ...]]:
    database = connect(str(folder / "bower.db"))
    try:
        return [tuple(row) for row in database.execute(sql).fetchall()]
    finally:
        database.close()


def no_half_turn(folder: Path) -> None:
    assert rows(folder, "pragma integrity_check") == [("ok",)]
    assert rows(folder, "pragma foreign_key_check") == []
    assert not rows(
        folder,
        "select id from turn where state in ('answered', 'sent', 'learned') "
        "and (reply is null or id not in (select turn from turn_event))",
    )


def every_message_has_exactly_one_reply(folder: Path) -> None:
    messages = rows(folder, "select count(*) from event where kind = 'message'")
    assert messages == [(MESSAGES,)]
    answered = rows(
        folder,
        "select count(*), count(distinct turn_event.event) from turn_event "
        "join turn on turn.id = turn_event.turn where turn.state = 'learned'",
    )
    assert answered == [(MESSAGES, MESSAGES)]
    assert rows(folder, "select distinct state from turn") == [("learned",)]
    assert rows(folder, "select distinct state from inbox") == [("covered",)]


def each_reply_went_out_once_but_for_the_doubtful_moment(folder: Path) -> None:
    runs = (folder / "sent").read_text().split("start\n")[1:]
    sent: Counter[str] = Counter()
    for run in runs:
        nonces = [line for line in run.split() if line != "end"]
        assert len(nonces) == len(set(nonces)), "one process sent a reply twice"
        sent.update(nonces)
    stored = {str(nonce) for (nonce,) in rows(folder, "select nonce from turn")}
    assert set(sent) == stored
    again = sum(count - 1 for count in sent.values())
    # at each kill each of the ten conversations may have been in its doubtful moment
    assert again <= KILLS * 3, f"{again} of {len(stored)} replies were sent again"
