"""Starts the variants of the product, measures them, and reports."""
