"""From Discord to the engine: messages, places, attachments, and copies by proxy bots."""
