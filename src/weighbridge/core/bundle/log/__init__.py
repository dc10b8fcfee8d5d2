"""What the proved rows of the audit log say of what a bundle states.

Read `rows`, the proved rows by what they tell of, and `corrections`, the corrections and the rules that made
some; then `comparison`, all that a bundle states held against them.
"""
