"""What a rule may say: its checks, the names it may use, examples."""
