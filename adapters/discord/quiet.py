"""discord.py's own log, bounded: at DEBUG it would name secrets and repeat messages."""

import logging


def quiet_discord_py() -> None:
    """Warnings and worse only, and a lost connection in one sentence, without traceback."""
    logger = logging.getLogger("discord")
    if logger.level < logging.WARNING:
        logger.setLevel(logging.WARNING)
    client = logging.getLogger("discord.client")
    if not any(isinstance(one, _OneSentence) for one in client.filters):
        client.addFilter(_OneSentence())


class _OneSentence(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        if str(record.msg).startswith("Attempting a reconnect") and record.exc_info:
            kind = record.exc_info[0]
            reason = kind.__name__ if kind else "unknown"
            record.msg = f"Discord is out of reach ({reason}); the next try is in %.0f s."
            record.levelno, record.levelname = logging.WARNING, "WARNING"
            record.exc_info = None
        return True
