"""The figures of the report.

Colours are Okabe and Ito's set, which colour-blind readers can tell apart. Systems also differ by
marker and line, so the figures can be read in black and white.
"""
