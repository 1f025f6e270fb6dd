"""What admins and operators did: the audit's rows. Never the text of a message."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """`actor` and `target` are accounts, places and servers by their ids; `detail` is the
    setting's value and the like."""

    at: datetime
    actor: str
    action: str
    target: str = ""
    detail: str = ""
