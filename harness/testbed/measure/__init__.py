"""Carries out experiments: warm-up, load, blocks, and the record of each run."""
