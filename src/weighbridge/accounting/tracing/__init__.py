"""Reading back what a batch was made of."""
