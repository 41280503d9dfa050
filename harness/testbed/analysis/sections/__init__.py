"""The report's words, as Markdown: what the measurements say, and under which conditions."""
