"""The character: pure Python that decides; no SDK, no SQL, no network."""
