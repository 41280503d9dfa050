"""Carries out experiments: load, warm-up, blocks, and what is recorded of each run."""
