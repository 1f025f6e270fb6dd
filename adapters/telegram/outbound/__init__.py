"""What goes out to Telegram: formatted texts, drafts, private answers, at the allowed pace."""
