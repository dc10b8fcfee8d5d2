"""Records of the platform: what is passed around, below everything that computes or stores it."""
