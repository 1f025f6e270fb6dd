"""The house: what servers and places may set, when a persona is silent, what is spent."""
