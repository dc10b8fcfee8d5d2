"""Mass balance: partitions, allocation, draws, and what is posted."""
