"""Experiments as data: keys, order, arrivals, how long it takes, and when it is enough."""
