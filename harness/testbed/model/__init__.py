"""Shared base of all other packages: errors, files, project folders and declared systems."""
