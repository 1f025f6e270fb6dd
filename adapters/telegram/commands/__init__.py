"""Commands: as typed, and as Telegram's menus offer them."""
