"""`weighbridge account create`."""


def test_a_new_account_has_its_administrator_and_leaves_a_row_in_the_audit_log(weighbridge, sql):
    done = weighbridge("account", "create", "--name", "North plant", "--json").expect(0)

    assert done.json["name"] == "North plant"
    assert done.json["administrator"] == "administrator"
    assert sql("SELECT email FROM users WHERE account_id = %s", done.json["id"]) == [("administrator",)]
    assert sql("SELECT action FROM audit_log WHERE account_id = %s", done.json["id"]) == [("account.create",)]


def test_a_person_is_told_what_comes_next(weighbridge):
    done = weighbridge("account", "create", "--name", " East plant ").expect(0)

    assert done.out == (
        "The account 'East plant' is made; make a token for it with weighbridge token create --account.\n"
    )


def test_a_name_that_is_taken_is_refused(weighbridge):
    weighbridge("account", "create", "--name", "West plant").expect(0)

    again = weighbridge("account", "create", "--name", "West plant").expect(1)

    assert again.err == "There is an account 'West plant' already.\n"
    assert again.out == ""


def test_a_blank_name_is_refused(weighbridge):
    done = weighbridge("account", "create", "--name", "  ").expect(1)

    assert done.err == "An account needs a name.\n"
