"""Topics and the filters that they fit, as MQTT 3.1.1 defines them in 4.7."""


def fits(topic: str, pattern: str) -> bool:
    """Whether a topic is among those of a filter: + is any one level, # any number of levels at the end."""
    levels, wanted = topic.split("/"), pattern.split("/")
    if topic.startswith("$") and wanted[0] in {"+", "#"}:
        return False
    for index, level in enumerate(wanted):
        if level == "#":
            return True
        if index >= len(levels) or level not in {"+", levels[index]}:
            return False
    return len(levels) == len(wanted)


def said_of_filter(pattern: str) -> str | None:
    """Why a text is no filter; None where it is one."""
    levels = pattern.split("/")
    if "#" in pattern and (levels[-1] != "#" or "#" in "/".join(levels[:-1])):
        return "has # elsewhere than as its last level"
    if any("+" in level and level != "+" for level in levels):
        return "has + beside other characters in a level"
    return None
