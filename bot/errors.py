"""What can go wrong, named for whoever has to act on it.

    BotError
    ├── SettingsError      a setting or an argument is wrong: the operator mends it
    ├── PersonaError       a persona file or card cannot be read
    ├── ImportFileError    a transcript cannot be read
    ├── StorageError       the database cannot be opened or written
    │   └── NewerDatabase  it was written by a newer program
    ├── EmbeddingError     the encoder is missing or fails
    ├── ModelError         the language model gave no usable answer
    │   ├── ModelRefused   the endpoint refuses for good (key, model name, request)
    │   └── ModelDown      unreachable, overloaded or too slow: later may be better
    └── SendError          the platform did not take a reply
        └── Undeliverable  it never will (blocked, gone, no rights)

Every message is one sentence that says what happened and what to do.
"""


class BotError(Exception):
    """Base of every error that Bower raises on purpose."""


class SettingsError(BotError):
    """A setting or an argument is wrong; the text names it and the remedy."""


class PersonaError(BotError):
    """A persona file or card cannot be used; the text names file, key and reason."""


class ImportFileError(BotError):
    """A transcript cannot be read; the text names the file, the line and the reason."""


class StorageError(BotError):
    """The database cannot be opened, read or written."""


class NewerDatabase(StorageError):
    """The database was written by a newer version; nothing in it was touched."""


class EmbeddingError(BotError):
    """The encoder is missing, fails, or gives vectors of the wrong shape."""


class ModelError(BotError):
    """The language model gave no usable answer."""


class ModelRefused(ModelError):
    """The endpoint will not answer this request however often it is asked."""


class ModelDown(ModelError):
    """The endpoint is unreachable, overloaded or too slow.

    `retry_after` is the wait in seconds that the endpoint asked for, if it did.
    """

    def __init__(self, text: str, *, retry_after: float | None = None) -> None:
        super().__init__(text)
        self.retry_after = retry_after


class SendError(BotError):
    """The platform did not take a reply; a later try may succeed."""


class Undeliverable(SendError):
    """The platform will never take this reply (blocked, gone, no rights)."""
