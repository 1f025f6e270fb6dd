"""What deploy/ says fits the program: files, settings, commands, times."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest
import yaml  # type: ignore[import-untyped]

from adapters.discord import Options
from adapters.settings import OTHERS_IN_ENV_FILE, Settings
from bot.engine import Limits

ROOT: Final = Path(__file__).resolve().parent.parent
DEPLOY: Final = ROOT / "deploy"
SETTINGS: Final = {name.upper() for name in Settings.model_fields}
OTHERS: Final = (*OTHERS_IN_ENV_FILE, "MPLCONFIGDIR")

STOPPING_SECONDS: Final = Options().stop_seconds + Limits().stop_seconds
"""So long the program may take when it is told to stop: the platforms, then the engine."""


def dockerfile() -> list[str]:
    """The instructions, continued lines joined, comments left out."""
    text = (DEPLOY / "Dockerfile").read_text("utf-8").replace("\\\n", " ")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def last_stage() -> list[str]:
    lines = dockerfile()
    return lines[max(n for n, line in enumerate(lines) if line.startswith("FROM")) :]


def copied(lines: list[str]) -> list[str]:
    """What is copied from the repository."""
    found = [line.split()[1:-1] for line in lines if line.startswith("COPY ")]
    return [one.rstrip("/") for names in found if "--from" not in names[0] for one in names]


def container_environment() -> dict[str, str]:
    line = next(line for line in last_stage() if line.startswith("ENV "))
    return dict(pair.split("=", 1) for pair in line.split()[1:])


def compose() -> dict[str, Any]:
    text = (DEPLOY / "compose.yaml").read_text("utf-8")
    return dict(yaml.safe_load(text)["services"]["bower"])


def unit() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in (DEPLOY / "bower.service").read_text("utf-8").splitlines():
        name, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            found.setdefault(name, []).append(value)
    return found


def known(name: str) -> bool:
    return name in SETTINGS or name.startswith(OTHERS)


# -- the container ---------------------------------------------------------------------------
def test_what_the_image_is_made_of_exists_and_reaches_the_builder() -> None:
    sent = {
        line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").split() if line[0] == "!"
    }
    for name in copied(dockerfile()):
        assert (ROOT / name).exists()
        assert name in sent


def test_the_make_targets_of_the_image_exist() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    ready = "$(READY):"
    targets = re.findall(r"make (\.?[a-z][\w./]*)", "\n".join(dockerfile()))
    assert set(targets) == {".venv/.ready", "setup", "multilingual"}
    assert ready in makefile
    assert "READY := $(VENV)/.ready" in makefile
    assert "VENV := .venv" in makefile
    for target in ("setup", "multilingual"):
        assert f"\n{target}:" in makefile


@pytest.fixture
def image(tmp_path: Path) -> Path:
    """A folder with what the image holds, and nothing else."""
    opt = tmp_path / "opt"
    opt.mkdir()
    for name in copied(last_stage()):
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, opt / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, opt / name)
    return opt


def test_the_program_runs_with_what_the_image_holds(image: Path, tmp_path: Path) -> None:
    """Every module that it may load later is there, and relative paths lead to the data."""
    every = (
        "import importlib, pathlib, sys; sys.path.insert(0, '.');"
        "[importlib.import_module('.'.join(p.with_suffix('').parts)) for f in "
        "('adapters', 'bot', 'storage', 'benchmarks') for p in pathlib.Path(f).rglob('*.py')"
        " if p.name not in ('__init__.py', '__main__.py')]"
    )
    environment = {k: v for k, v in os.environ.items() if k not in SETTINGS}
    loaded = subprocess.run(
        [sys.executable, "-c", every],
        cwd=image,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert loaded.stderr == ""
    state = tmp_path / "state"
    state.mkdir()
    ended = subprocess.run(
        [sys.executable, str(image / "main.py")],
        cwd=state,
        env=environment | container_environment() | {"DISCORD_TOKEN": "", "TELEGRAM_TOKEN": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 2
    assert "No platform has a token" in ended.stderr


def test_the_container_runs_as_nobody_special_and_keeps_data_in_its_volume() -> None:
    lines = last_stage()
    users = [line.split()[1] for line in lines if line.startswith("USER ")]
    assert users == ["bower"]
    volume = next(line.split()[1] for line in lines if line.startswith("VOLUME "))
    assert [line.split()[1] for line in lines if line.startswith("WORKDIR ")][-1] == volume
    assert not Settings.model_fields["database"].default.is_absolute()
    assert f"-o bower -g bower -m 700 {volume}" in " ".join(lines)


def test_the_container_asks_for_the_health_that_it_serves() -> None:
    environment = container_environment()
    assert all(map(known, environment))
    check = " ".join(line for line in dockerfile() if "HEALTHCHECK" in line)
    assert f"http://127.0.0.1:{environment['HEALTH_PORT']}/healthz" in check
    command = json.loads(check[check.index("CMD ") + 4 :])
    compile(command[2], "healthcheck", "exec")
    [entry] = [line for line in last_stage() if line.startswith("ENTRYPOINT ")]
    python, main = json.loads(entry.removeprefix("ENTRYPOINT "))
    assert command[0] == python
    assert Path(python).parents[2] == Path(main).parent


# -- compose -----------------------------------------------------------------------------------
def test_compose_builds_that_image_and_keeps_its_data() -> None:
    service = compose()
    build = service["build"]
    assert (DEPLOY / build["context"] / build["dockerfile"]).resolve() == DEPLOY / "Dockerfile"
    arguments = {line.split()[1].partition("=")[0] for line in dockerfile() if line[:4] == "ARG "}
    assert set(build["args"]) <= arguments
    volume = next(line.split()[1] for line in last_stage() if line.startswith("VOLUME "))
    assert [one.split(":")[1] for one in service["volumes"]] == [volume]
    assert service["restart"] == "unless-stopped"


def test_compose_settles_what_a_settings_file_must_not_change() -> None:
    """.env is made from .env.example, where these stand too."""
    service = compose()
    environment = service["environment"]
    assert all(map(known, environment))
    settled = {name: environment[name] for name in ("HEALTH_HOST", "HEALTH_PORT")}
    assert settled == {name: container_environment()[name] for name in settled}
    assert environment["DATABASE"] == str(Settings.model_fields["database"].default)
    assert environment["PERSONAS"] == ""
    assert service["ports"] == [f"127.0.0.1:8080:{environment['HEALTH_PORT']}"]


def test_compose_and_systemd_wait_for_replies_under_way() -> None:
    grace = int(compose()["stop_grace_period"].removesuffix("s"))
    [patience] = unit()["TimeoutStopSec"]
    assert min(grace, int(patience)) >= 2 * STOPPING_SECONDS


# -- systemd -----------------------------------------------------------------------------------
def test_the_unit_starts_the_program_in_its_state_directory() -> None:
    found = unit()
    [command] = found["ExecStart"]
    python, main = command.split()
    assert Path(python).parents[2] == Path(main).parent
    assert (ROOT / Path(main).name).exists()
    assert found["WorkingDirectory"] == [f"/var/lib/{found['StateDirectory'][0]}"]
    assert found["DynamicUser"] == ["yes"]
    assert found["ProtectSystem"] == ["strict"]
    assert all(known(value.split("=")[0]) for value in found["Environment"])
    [page] = found["Documentation"]
    assert (ROOT / Path(page).relative_to("file:/opt/bower")).exists()


def test_wrong_settings_are_not_tried_again_and_again() -> None:
    from adapters.cli.app import USAGE

    assert unit()["RestartPreventExitStatus"] == [str(USAGE)]
    assert unit()["Restart"] == ["on-failure"]


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    text = (DEPLOY / "bower.service").read_text("utf-8")
    there = text.replace("/opt/bower/.venv/bin/python", sys.executable)
    file = tmp_path / "bower.service"
    file.write_text(there, encoding="utf-8")
    read = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(file)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert [line for line in read.stderr.splitlines() if "bower.service" in line] == []


def test_the_guide_names_the_files_and_paths() -> None:
    guide = (ROOT / "docs" / "operating.md").read_text("utf-8")
    for name in ("deploy/compose.yaml", "deploy/bower.service", "/etc/bower.env", "/opt/bower"):
        assert name in guide
