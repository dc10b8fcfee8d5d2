"""Pictures made on the server: SVG and MathML of plain values, by pure functions.

No colour stands in a picture, only classes; the stylesheet has the colours, for light, dark and print.
Coordinates are decimals and whole numbers. Each picture says in words what it shows (`title`, `desc`).
"""
