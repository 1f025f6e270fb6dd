"""Conversations from elsewhere: what an exported file says, and how it is remembered."""
