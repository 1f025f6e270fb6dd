"""Who and where: agents with their names, places, and who may hear what."""
