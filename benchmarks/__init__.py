"""Measurements against public data and against baselines in the same run."""
