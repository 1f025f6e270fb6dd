"""What comes in from Telegram, as the values that the engine handles."""
