"""Models: how tonnes are computed. Versions, graphs and formulas, the editor, simulation, comparison."""
