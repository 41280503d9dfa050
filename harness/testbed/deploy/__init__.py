"""Starts and ends the systems: builds, processes or containers, their records and their use."""
