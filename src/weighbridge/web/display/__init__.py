"""Figures, times, pictures as SVG and formulas as MathML, as pure functions of what they show."""
