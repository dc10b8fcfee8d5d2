"""What a key may be called in signed notes (C2SP signed-note)."""


def is_key_name(name: str) -> bool:
    """Whether a key may be called so: something, and neither spaces nor a plus in it."""
    return bool(name) and "+" not in name and not any(one.isspace() or not one.isprintable() for one in name)
