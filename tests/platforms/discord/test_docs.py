"""What docs/discord.md says about the code is so."""

import re
from pathlib import Path

from adapters.discord import PERMISSIONS
from adapters.discord.commands.rendering import ABOUT_MESSAGE, TALK
from adapters.discord.connecting import CONTENT, MEMBERS
from adapters.discord.inbound.attachments import TEXT_BYTES
from adapters.discord.outbound.failures import REMEDIES

DOCS = Path(__file__).resolve().parents[3] / "docs"


def text() -> str:
    return (DOCS / "discord.md").read_text(encoding="utf-8")


def test_the_install_link_asks_for_the_permissions_that_are_named() -> None:
    assert f"permissions={PERMISSIONS.value}" in text()
    named = re.search(r"The permissions are (.*?)\. The last", text(), re.DOTALL)
    assert named
    words = {w.replace("\n", " ").casefold() for w in re.findall(r"\*(.+?)\*", named[1], re.DOTALL)}
    assert words == {
        {"view channel": "view channels", "read messages": "view channels"}.get(name, name)
        for name in (p.replace("_", " ") for p, granted in PERMISSIONS if granted)
    }


def test_commands_intents_and_sizes_are_named_as_they_are() -> None:
    said = text()
    assert f"`/{TALK}`" in said
    assert f"*{ABOUT_MESSAGE}*" in said
    assert f"{TEXT_BYTES // 1000} kB" in said
    for missing in (CONTENT, MEMBERS):
        assert missing.name.removeprefix("the ").removesuffix(" intent") in said


def test_what_the_table_quotes_is_what_the_program_says() -> None:
    for words in ("the bot may not write there", "this person takes no direct messages"):
        assert words in text()
        assert any(words in remedy for remedy in REMEDIES.values())
