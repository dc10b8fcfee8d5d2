"""Events on their way in: looked up, checked, stored, and completed later."""
