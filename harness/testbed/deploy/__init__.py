"""Builds, starts and stops the systems as processes or containers, and meters their usage."""
