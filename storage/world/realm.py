"""A server as a set of places: what admins act on and budgets are counted for."""

from typing import Final

SAME_SERVER: Final = """(
    select p.id from place h join place p
      on p.id = h.id
      or (h.server <> '' and h.kind <> 'dm' and p.kind <> 'dm' and p.server = h.server
          and p.platform = h.platform and p.bot_account = h.bot_account)
    where h.id = ?
)"""
"""The places of the server that a place (the parameter) is in; alone if it is in none."""

SAID: Final = "kind in ('message', 'reply', 'reflection')"
"""Events that came about in a place; seeds and imports were brought there."""
