"""Tests: fakes that work, one contract suite per port."""
