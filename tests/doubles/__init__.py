"""Stand-ins for libraries that take long to load, for whole processes that need them not:
with this folder on PYTHONPATH they are found instead."""
