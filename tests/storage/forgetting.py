"""What the tests of forgetting share."""

from datetime import timedelta
from pathlib import Path

from bot.memory import Event, Selection, Share
from storage import SqliteStorage
from tests.storage.scenes import NOON

LATER = NOON + timedelta(days=1)
SECRET = "my sister Eva lives in Lyon with three xanthippe cats"


def in_file(path: Path, *texts: str) -> set[str]:
    """Which of these texts are in the bytes of the database or of its log."""
    content = b"".join(
        file.read_bytes() for file in path.parent.iterdir() if file.name.startswith(path.name)
    ).lower()
    return {text for text in texts if text.lower().encode() in content}


def everything(event: Event) -> Selection:
    return Selection(agent=event.speaker.id, share=Share.EVERYTHING, now=LATER)


async def forget(store: SqliteStorage, selection: Selection) -> dict[str, int]:
    """Forgets, after checking that the preview says the same and changes nothing."""
    before = await store.counts()
    preview = await store.forgettable(selection)
    assert await store.counts() == before
    done = await store.forget(selection)
    assert done == preview
    assert done.total == sum(done.removed.values())
    return dict(done.removed)
