"""The figures of the report.

Colours are of Okabe and Ito's set, which colour-blind eyes tell apart; systems differ by marker and
line as well, so that the figures read in black and white.
"""
