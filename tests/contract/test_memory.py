"""What a process remembers takes a bounded room, and what was used last stays longest."""

from weighbridge.db.transaction import Memory


def test_what_was_kept_last_is_recalled():
    memory = Memory()

    memory.keep(("location", 1, "loc_1"), "Yard")
    memory.keep(("location", 1, "loc_1"), "Kiln")

    assert memory.recall(("location", 1, "loc_1")) == "Kiln"


def test_what_was_never_kept_or_is_forgotten_is_not_remembered():
    memory = Memory()
    memory.keep("yard", "Yard")

    memory.forget("yard")

    assert memory.recall("yard") is None
    assert memory.recall("kiln") is None


def test_what_was_not_used_for_longest_goes_first():
    memory = Memory(room=3)
    for name in ("yard", "kiln", "press"):
        memory.keep(name, name.title())
    memory.recall("yard")

    memory.keep("silo", "Silo")

    assert [memory.recall(name) for name in ("yard", "kiln", "press", "silo")] == [
        "Yard",
        None,
        "Press",
        "Silo",
    ]


def test_a_row_takes_room_for_its_parts():
    memory = Memory(room=10)
    memory.keep("yard", "Yard")
    memory.keep("delivery", "Delivery", parts=8)

    memory.keep("kiln", "Kiln")

    assert memory.recall("yard") is None
    assert memory.recall("delivery") == "Delivery"


def test_a_row_that_is_kept_again_takes_its_room_once():
    memory = Memory(room=3)
    memory.keep("yard", "Yard")

    for _ in range(100):
        memory.keep("delivery", "Delivery", parts=1)

    assert memory.recall("yard") == "Yard"


def test_a_row_that_is_larger_than_all_room_is_not_remembered():
    memory = Memory(room=3)

    memory.keep("delivery", "Delivery", parts=8)
    memory.keep("yard", "Yard")

    assert memory.recall("delivery") is None
    assert memory.recall("yard") == "Yard"
