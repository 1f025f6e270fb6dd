"""From the engine to Discord: replies, growing drafts, webhooks, and what may fail."""
