"""`weighbridge flag set`."""


def test_a_feature_is_switched_off_and_on_for_an_account(weighbridge):
    made = weighbridge("account", "create", "--name", "Flagged plant", "--json").expect(0)

    off = weighbridge("flag", "set", "rules_engine", "off", "--account", "Flagged plant").expect(0)
    on = weighbridge("flag", "set", "rules_engine", "on", "--account", "Flagged plant", "--json").expect(0)

    assert made.json["id"] > 0
    assert off.out == "rules_engine is off for Flagged plant.\n"
    assert on.json == {
        "rules_engine": True, "data_capture_rate": True, "approval_of_own": True, "footprint_exchange": False,
    }  # fmt: skip


def test_an_unknown_feature_and_state_are_refused_with_what_there_is(weighbridge):
    done = weighbridge("flag", "set", "rule_engine", "maybe").expect(1)

    assert done.err == (
        "Unknown feature 'rule_engine'; there are rules_engine, data_capture_rate, approval_of_own, "
        "footprint_exchange. A flag is on or off, not 'maybe'.\n"
    )


def test_an_account_that_is_not_there_is_refused(weighbridge):
    done = weighbridge("flag", "set", "rules_engine", "off", "--account", "Nowhere").expect(1)

    assert done.err == "There is no account 'Nowhere'.\n"
