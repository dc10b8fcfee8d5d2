"""Records of exchange: what is passed around, below everything that computes or stores it."""
