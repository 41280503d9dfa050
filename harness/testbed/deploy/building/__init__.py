"""Builds jars, prepares them for quick starts, and finds the Java that does so."""
