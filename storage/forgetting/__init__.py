"""Deleting for good: what goes with an event, what is redacted, how the file is scrubbed."""
