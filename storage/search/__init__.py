"""Finding events again: by time, by meaning, by words."""
