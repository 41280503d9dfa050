"""Experiments as data: keys, run order, arrivals, expected time and stopping rules."""
