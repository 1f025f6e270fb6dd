"""The outside: one module per third-party SDK; nothing here knows the storage."""
