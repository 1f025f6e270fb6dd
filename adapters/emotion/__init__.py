"""How texts feel: a small local model, and a language model asked the paper's way."""
