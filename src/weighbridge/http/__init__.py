"""What every route shares: who is calling, how a body is read and an answer written."""
