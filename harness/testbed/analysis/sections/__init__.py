"""The report's text in Markdown: what was measured, and under which conditions."""
