"""Builds, starts and stops the systems, and meters their usage.

`Deployer` is what a stack, a status or a later command asks; `places` alone knows its three kinds.
"""
