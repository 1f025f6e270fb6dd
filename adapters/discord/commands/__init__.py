"""Discord's commands and buttons: rendered from the table of commands, and what comes back."""
