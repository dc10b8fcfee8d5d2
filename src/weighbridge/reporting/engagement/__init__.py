"""What engagements of verifiers are stored as: records and bodies (`forms`), rows and statements (`storage`),
and the records of a sample with everything that a verifier looks at (`sampled`).
"""
