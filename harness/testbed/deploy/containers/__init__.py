"""Systems as containers, by their compose files."""
