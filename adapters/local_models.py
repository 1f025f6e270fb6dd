"""What the encoder and the small language model share: torch and transformers, kept quiet.

Both libraries take seconds to import, so nothing here imports them before it is called, and
it is called in a worker thread.
"""

import ctypes
import gc
import importlib.util
import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_importing = threading.Lock()

_loading = threading.Lock()


@contextmanager
def loading() -> Iterator[None]:
    """Within it a model is loaded, one at a time: transformers changes settings of the whole
    process meanwhile, and two models that load at once get weights that are not theirs.

    What is in memory afterwards stays there, so the garbage collector is told to pass it over:
    looking through a million objects of torch makes the event loop late, again and again.
    """
    with _loading:
        yield
        gc.freeze()


def quiet_libraries() -> None:
    """Imports torch and transformers so that they neither spin nor write to the terminal.

    Errors are raised as ever; progress bars and advice about versions are what is silenced.
    Takes seconds the first time, so it must not run on the event loop.
    """
    passive_threads()
    with _importing:
        from huggingface_hub.utils import disable_progress_bars  # noqa: PLC0415 - takes seconds
        from transformers.utils import logging as transformers_logging  # noqa: PLC0415 - as above

        disable_progress_bars()
        transformers_logging.disable_progress_bar()
        transformers_logging.set_verbosity_error()
        for name in ("huggingface_hub", "sentence_transformers", "gguf"):
            logging.getLogger(name).setLevel(logging.ERROR)


def passive_threads() -> None:
    """Lets OpenMP's threads sleep while they wait for each other; call it before it is loaded.

    Waiting actively makes inference ten times slower once another process wants the cores.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def give_back_memory() -> None:
    """Hands memory that models have freed back to the system, where glibc manages it.

    It keeps what was freed in pieces, and after some thousand texts that is half a gigabyte.
    Takes about 10 ms; nothing happens on other systems.
    """
    if trim := getattr(ctypes.CDLL(None), "malloc_trim", None):
        trim(0)


def package_folder(name: str) -> Path | None:
    """Where an installed package lies, without importing it. None if it is not installed."""
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations)))
