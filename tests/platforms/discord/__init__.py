"""The Discord adapter: the real discord.py against a fake Discord."""
