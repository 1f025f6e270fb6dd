"""The stream itself: how events, turns and what is made of them are written."""
