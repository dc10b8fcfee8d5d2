"""What is raised when something that should be proved is not."""


class UnprovenError(Exception):
    """A proof, a head or a signature does not hold, or cannot be read; the text says why in a sentence."""
