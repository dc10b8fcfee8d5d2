"""Pages of models: graph, formulas, editor, simulation, difference, and what a version would have changed."""

import re
from html import unescape

import pytest
from tests.given import accounting as given_accounting
from tests.given.accounting import MASS
from tests.given.people import visitor

LESS = """
  - slug: wet
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
  - slug: mass
    name: Dry mass
    formula: wet / 2
    unit: t
    output: true
"""
HALF = given_accounting.document(LESS)


@pytest.fixture
def plant(api, drain):
    return given_accounting.plant(api, drain)


@pytest.fixture
def ada(account):
    return visitor(account)


def home(plant):
    return f"/projects/{plant.project['id']}/models"


def words(answer):
    """What a page says, without its marks."""
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", answer.expect(200).text)))


@pytest.fixture
def second(api, plant):
    """A second version, that halves every delivery."""
    return given_accounting.version(api, plant.model, HALF, version_label="Dry basis")


@pytest.mark.usefixtures("second")
def test_the_list_shows_each_version_with_its_label(ada, plant):
    page = words(ada.get(home(plant)))

    assert "Dry basis" in page
    assert "not active" in page


def test_a_version_is_a_graph_with_each_formula_as_mathematics_beside_its_text(ada, plant, second):
    page = ada.get(f"{home(plant)}/{second['id']}").expect(200).text

    assert page.count('class="edge"') == 1
    assert "<mfrac><mrow><mi>wet</mi></mrow><mrow><mn>2</mn></mrow></mfrac>" in page
    assert "mass = wet / 2" in page
    assert "Dry mass" in words(ada.get(f"{home(plant)}/{second['id']}?node=mass"))


def test_a_node_stands_beside_the_graph_with_what_feeds_it_and_what_it_feeds(ada, plant, second):
    path = f"{home(plant)}/{second['id']}"

    chosen = ada.get(path).expect(200).text
    assert chosen.count('aria-current="true"><g><title>Dry mass') == 1
    assert "the primary output" in chosen
    wet = ada.get(f"{path}?node=wet").expect(200).text.split('id="node"', 1)[1].split("</section>")[0]

    assert "Sum of mass of delivery" in wet
    assert f'<a href="{path}?node=mass#node">Dry mass</a>' in wet.split("Used by", 1)[1]
    assert "<h3>Inputs" not in wet


def test_a_node_stands_with_its_value_in_the_latest_batches(api, ada, plant, second):
    path = f"{home(plant)}/{second['id']}"
    assert "No batches of this version yet" in words(ada.get(path))
    api.post(f"/models/{second['id']}/activate", {}).expect(200)
    plant.deliver(30)
    plant.generate()

    of_wet = ada.get(f"{path}?node=wet").expect(200).text
    of_dry = ada.get(f"{path}?node=mass").expect(200).text

    [batch] = plant.batches()
    for shown, value in ((of_wet, "30"), (of_dry, "15")):
        row = shown.split(f"/batches/{batch['id']}", 1)[1].split("</tr>")[0]
        assert f'value="{value}"' in row


def test_a_document_is_checked_while_it_is_typed_with_line_and_column(ada, plant):
    path = f"{home(plant)}/{plant.model['id']}"
    ada.get(f"{path}/edit").expect(200)

    assert ">valid<" in ada.post(f"{path}/validate", {"yaml": HALF}).expect(200).text
    wrong = words(ada.post(f"{path}/validate", {"yaml": HALF.replace("wet / 2", "wett / 2")}))
    assert re.search(r"line \d+, column \d+: .*wett", wrong)


def test_a_saved_document_is_the_next_version_and_leads_to_what_differs(ada, plant):
    path = f"{home(plant)}/{plant.model['id']}"
    ada.get(f"{path}/edit")

    moved = ada.post(f"{path}/edit", {"yaml": HALF, "version_label": "Dry basis"}).expect(303)

    page = words(ada.get(moved.headers["location"]))
    assert "version 1 → 2" in page
    assert "added wet" in page


def test_a_document_that_is_wrong_is_refused_and_stays_in_the_field(ada, plant):
    path = f"{home(plant)}/{plant.model['id']}"
    ada.get(f"{path}/edit")

    refused = ada.post(f"{path}/edit", {"yaml": HALF.replace("wet / 2", "wett / 2")}).expect(422).text

    assert "wett / 2" in refused
    assert 'role="alert"' in refused


def test_a_new_model_begins_with_an_example(ada, plant):
    page = ada.get(f"{home(plant)}/new?example=biochar-plant/net-removal").expect(200).text
    assert "name: Net removal" in page

    made = ada.post(f"{home(plant)}/new", {"yaml": given_accounting.document(MASS, name="Own")}).expect(303)
    assert "Own" in words(ada.get(made.headers["location"]))


def test_a_simulation_shows_each_formula_with_its_numbers(ada, plant, second):
    path = f"{home(plant)}/{second['id']}/simulate"
    assert "Calculate" in words(ada.get(path))

    given = {"input:wet": "12, 8", "from": "2025-01-01T00:00", "until": "2025-02-01T00:00"}
    page = words(ada.post(path, given))
    assert "20 t / 2" in page
    assert "10 t" in page
    assert "many" in ada.post(path, given | {"input:wet": "many"}).expect(422).text


def test_what_a_version_would_have_changed_is_shown_by_batch_and_node(ada, plant, second):
    plant.deliver(30)
    plant.generate()
    period = "start=2025-01-01T00:00&end=2025-02-01T00:00"

    page = words(ada.get(f"{home(plant)}/{second['id']}/changes?{period}"))

    assert "Impact version 1 → 2" in page
    assert "−15" in page  # noqa: RUF001 - a real minus


def test_label_and_notes_are_kept_and_a_version_is_activated(api, ada, plant, second):
    path = f"{home(plant)}/{second['id']}"
    ada.get(f"{path}/versions").expect(200)

    ada.post(f"{path}/notes", {"version_label": "Dry", "description": "Half is water"}).expect(303)
    ada.post(f"{path}/activate").expect(303)

    found = api.get(f"/models/{second['id']}").body
    assert (found["version_label"], found["description"], found["is_active"]) == (
        "Dry",
        "Half is water",
        True,
    )


def test_who_may_only_read_writes_nothing_and_another_account_sees_nothing(account, server, plant):
    path = f"{home(plant)}/{plant.model['id']}"
    reader = visitor(account, "production_accounting:read")

    assert "Save as version" not in reader.get(f"{path}/edit").expect(200).text
    reader.post(f"{path}/edit", {"yaml": HALF}).expect(403)
    for page in ("", "/versions", "/edit", "/simulate", "/changes"):
        visitor_of_another(server).get(f"{path}{page}").expect(404)


def visitor_of_another(server):
    return visitor(server.account())
