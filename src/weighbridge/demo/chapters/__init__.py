"""The chapters of the demonstration, in the order of the story: each shows one thing and checks it."""
