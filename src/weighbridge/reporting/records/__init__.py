"""Records of reporting: what is passed around, below everything that computes or stores it."""
