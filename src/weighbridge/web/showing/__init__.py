"""How a page writes what the interface gives: figures, times, periods, words; pure functions."""
