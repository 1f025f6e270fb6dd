"""Who is meant by a name: what was said, who bears it, what tells the bearers apart."""
