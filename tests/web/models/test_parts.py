"""A model grows by its parts: beside the document a panel adds, renames and removes them."""

import re
from html import unescape

import pytest
from tests.given import accounting as given_accounting
from tests.given import collection as given
from tests.given.people import visitor

EMPTY = "name: Diesel\ncadence: monthly\npartition_type: time\n\nnodes:\n"


def words(answer):
    """What a page says, without its marks."""
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.text)))


def document(answer):
    """The text in the field of the document."""
    [text] = re.findall(r'<textarea id="field-yaml"[^>]*>\n(.*?)</textarea>', answer.text, re.DOTALL)
    return unescape(text)


@pytest.fixture
def project(api):
    project = given.project(api)
    given.event_type(
        api, project, slug="diesel-delivery", name="Diesel delivery",
        data_point_types=[given.number("volume", unit="L"), given.number("density", unit="kg/L")],
    )  # fmt: skip
    api.post(
        f"/projects/{project['id']}/static_inputs",
        {"static_input": {"slug": "grid-factor", "value": 0.4, "unit": "kg{CO2e}/kWh",
                          "effective_from": "2025-01-01T00:00:00Z"}},
    ).expect(201)  # fmt: skip
    return project


@pytest.fixture
def ada(account):
    return visitor(account)


@pytest.fixture
def models(project):
    return f"/projects/{project['id']}/models"


@pytest.fixture
def add(ada, models):
    """Add a part to a text by the panel of a new model."""
    ada.get(f"{models}/new").expect(200)

    def added(text, kind, **typed):
        fields = {f"{kind}.{name}": value for name, value in typed.items()}
        return ada.post(f"{models}/parts", {"yaml": text, "add": kind, **fields})

    return added


def test_a_new_model_begins_empty_or_with_a_model_of_a_package_whose_equations_are_seen(ada, models):
    page = ada.get(f"{models}/new").expect(200)
    assert "net_removal = stored - emissions" in words(page)
    assert "example=biochar-plant/net-removal" in page.text

    begun = ada.get(f"{models}/new?begin=empty&name=Diesel&cadence=monthly&partition_type=time").expect(200)
    assert document(begun) == EMPTY
    assert "Add an input" in words(begun)
    refused = ada.get(f"{models}/new?begin=empty&name=&cadence=hourly&partition_type=space").expect(422)
    assert "Give the model a name." in words(refused)
    assert "partition_type must be one of time," in words(refused)


def test_a_name_of_any_letters_begins_a_document_that_reads(ada, models):
    begun = ada.get(f"{models}/new?begin=empty&name=%7B%22a%3A%20%23&cadence=daily&partition_type=time")

    assert 'name: "{\\"a: #"' in document(begun.expect(200))


def test_an_input_has_the_unit_of_its_data_point_and_a_formula_that_of_its_reading(add):
    first = add(EMPTY, "input", point="diesel-delivery/volume", aggregate="sum", name="Diesel, burnt").expect(
        200
    )
    assert document(first) == EMPTY + (
        "  - slug: diesel_burnt\n    name: Diesel, burnt\n"
        "    input: {event_type: diesel-delivery, data_point_type: volume, aggregate: sum}\n    unit: L\n"
    )  # fmt: skip
    assert "Mark one node as output" in words(first)
    assert "needs the key" not in words(first)

    assert ">incomplete<" in first.text

    second = add(document(first), "constant", value="2.68", unit="kg{CO2e}/L", source="DEFRA 2024, table 1",
                 name="Factor").expect(200)  # fmt: skip
    third = add(document(second), "formula", formula="diesel_burnt * factor", name="Emissions", output="yes")
    text = document(third.expect(200))
    assert text.endswith("    formula: diesel_burnt * factor\n    unit: kg{CO2e}\n    output: true\n")
    assert text.startswith(
        "name: Diesel\ncadence: monthly\npartition_type: time\nprimary_output: emissions\n\n"
    )
    assert ">valid<" in third.text
    assert "Part emissions added." in words(third)
    assert 'value="diesel_burnt * factor"' not in third.text


def test_what_is_wrong_with_a_part_is_said_at_its_field_and_nothing_typed_is_lost(add):
    refused = add(EMPTY, "constant", value="much", unit="parsnips", name="Factor").expect(422)

    said = words(refused)
    assert document(refused) == EMPTY
    assert "Say where the constant comes from" in said
    assert "must be a number, but is 'much'" in said
    assert "parsnips" in said
    assert 'name="constant.name" type="text" value="Factor"' in refused.text
    assert "Choose what is measured." in words(add(EMPTY, "input", aggregate="sum").expect(422))
    assert "1e99999" in words(add(EMPTY, "constant", value="1e99999", source="x", name="Big").expect(422))


def test_a_formula_says_live_what_it_comes_to_and_why_it_cannot(ada, models, add):
    text = document(add(EMPTY, "input", point="diesel-delivery/volume", aggregate="sum").expect(200))
    text = document(add(text, "input", point="diesel-delivery/density", aggregate="average").expect(200))

    def look(formula):
        page = ada.post(f"{models}/parts", {"yaml": text, "formula.formula": formula, "formula.name": "Mass"})
        return words(page.expect(200)).replace("\N{NO-BREAK SPACE}", " ")

    assert "It comes to kg." in look("volume * density")
    assert "At column " in look("volume + density")
    assert "volumes" in look("volumes * 2")
    assert document(ada.post(f"{models}/parts", {"yaml": text, "formula.formula": "volume"})) == text
    assert document(add(text, "formula", formula="volume + density", name="Sum").expect(422)) == text


def test_static_inputs_are_offered_with_their_units(add):
    made = add(EMPTY, "static_input", of="grid-factor").expect(200)

    assert document(made).endswith(
        "  - slug: grid_factor\n    static_input: grid-factor\n    unit: kg{CO2e}/kWh\n"
    )


def test_a_ledger_is_drawn_from_with_what_its_batches_bring_along(api, drain, account):
    plant = given_accounting.plant(api, drain)
    person = visitor(account)
    models = f"/projects/{plant.project['id']}/models"
    [ledger] = api.get(f"/projects/{plant.project['id']}/ledgers").body["data"][:1]
    person.get(f"{models}/new")
    needed = EMPTY + "  - slug: needed\n    constant: 2\n    unit: t\n    source: a plan\n"

    made = person.post(
        f"{models}/parts",
        {"yaml": needed, "add": "upstream", "upstream.ledger": ledger["name"], "upstream.amount": "needed",
         "upstream.name": "Drawn", "upstream.attributes": f"{ledger['name']}/mass"},
    ).expect(200)  # fmt: skip

    assert f"upstream: {{ledger: {ledger['name']}, amount: needed, attributes: {{mass: t}}}}" in document(
        made
    )
    assert "drawn.mass" in made.text


def test_a_part_is_renamed_wherever_it_is_named_and_removed_when_nothing_reads_it(ada, models, add):
    text = document(add(EMPTY, "input", point="diesel-delivery/volume", aggregate="sum").expect(200))
    text = document(add(text, "formula", formula="volume * 2  ", name="Twice", output="yes").expect(200))

    refused = ada.post(f"{models}/parts", {"yaml": text, "change": "remove", "part": "volume"}).expect(422)
    assert "volume cannot be removed while it is read by twice." in words(refused)
    assert '<a href="#part-twice">twice</a>' in refused.text
    taken = {"yaml": text, "change": "rename", "part": "volume", "new_slug": "twice"}
    assert "already taken" in words(ada.post(f"{models}/parts", taken).expect(422))

    renamed = ada.post(f"{models}/parts", taken | {"new_slug": "fuel"}).expect(200)
    assert "formula: fuel * 2" in document(renamed)
    assert "data_point_type: volume" in document(renamed)
    removed = ada.post(f"{models}/parts", {"yaml": document(renamed), "change": "remove", "part": "twice"})
    assert "twice" not in document(removed.expect(200))


@pytest.mark.parametrize("text", ["nodes: [", "", "just words", "\t", "a: &x 1\n", "nodes: words\n", "- 1\n"])
def test_a_text_that_is_no_document_keeps_the_panel_with_a_sentence(ada, models, add, text):
    looked = ada.post(f"{models}/parts", {"yaml": text, "formula.formula": "1 + 1"}).expect(200)
    assert "Add a part" in words(looked)
    assert "It comes to a plain number" in words(looked)

    refused = add(text, "constant", value="1", source="x", name="One").expect(422)
    assert document(refused) == text
    assert 'role="alert"' in refused.text


HOSTILE = """<u>"'&{{7*7}}: #</u>\\"""


def test_hostile_words_come_out_as_text_in_the_document_and_on_the_page(add):
    made = add(EMPTY, "constant", value="1", source=HOSTILE, name=HOSTILE, slug="one").expect(200)

    assert "<u>" not in made.text
    assert "49" not in words(made)
    again = add(document(made), "constant", value="2", source="x", name="Two").expect(200)
    assert again.text.count('id="part-one"') == 1


def test_a_reader_sees_the_document_without_the_panel(api, account, drain):
    plant = given_accounting.plant(api, drain)
    reader = visitor(account, "production_accounting:read")
    path = f"/projects/{plant.project['id']}/models/{plant.model['id']}"

    page = reader.get(f"{path}/edit").expect(200)
    assert "Add a part" not in page.text
    reader.post(f"{path}/parts", {"yaml": "x", "add": "formula"}).expect(403)
    reader.post(f"{path}/cases", {"case_name": "x"}).expect(403)


def test_who_may_not_read_data_is_offered_none_of_it(account, models):
    writer = visitor(account, "production_accounting:read", "production_accounting:write")

    page = writer.get(f"{models}/new?begin=text").expect(200)

    assert "Diesel delivery" not in page.text
    assert "no event types with numbers that you may read" in words(page)


def test_a_trial_is_kept_as_a_test_case_of_the_document(api, account, drain):
    plant = given_accounting.plant(api, drain)
    person = visitor(account)
    path = f"/projects/{plant.project['id']}/models/{plant.model['id']}"
    schema = api.get(f"/models/{plant.model['id']}/schema").body
    [node] = [one["node"] for one in schema["required_inputs"]]
    typed = {f"input:{node}": "12.5", "from": "2025-01-01T00:00", "until": "2025-02-01T00:00"}
    person.get(f"{path}/simulate").expect(200)
    assert "Give the test case a name." in words(person.post(f"{path}/cases", typed).expect(422))

    kept = person.post(f"{path}/cases", typed | {"case_name": "by hand: January"}).expect(200)

    text = document(kept)
    assert 'name: "by hand: January"' in text
    assert f"inputs: {{{node}: 12.5}}" in text
    saved = person.post(f"{path}/edit", {"yaml": text, "activate": "yes"}).expect(303)
    [version] = re.findall(r"models/(mdl_\w+|[\w-]+)/changes", saved.headers["location"])
    again = f"/projects/{plant.project['id']}/models/{version}"
    twice = person.post(f"{again}/cases", typed | {"case_name": "by hand: January"}).expect(422)
    assert "already" in words(twice)
