"""How well values are known, as forms of event types, static inputs and calibrations take it."""

import re
from decimal import Decimal

import pytest
from tests.given import collection as given
from tests.given.forms import typed_in
from tests.given.people import visitor

U = {"half_width": 40, "coverage_factor": 2, "unit": "kg"}
TYPED = {"uncertainty.half_width": "40", "uncertainty.coverage_factor": "2", "uncertainty.unit": "kg"}


@pytest.fixture
def project(api):
    return given.project(api)


@pytest.fixture
def home(project):
    return f"/projects/{project['id']}"


@pytest.fixture
def writer(account):
    return visitor(account)


@pytest.fixture
def delivery(api, project):
    return given.event_type(api, project, data_point_types=[given.number("mass") | {"uncertainty": U}])


def test_a_calibration_is_entered_changed_and_removed(api, writer, home, project, delivery):
    scale = given.asset(api, project, name="Truck scale")
    shown = writer.get(f"{home}/calibrations/new?asset_id={scale['id']}")
    assert f'<option value="{scale["id"]}" selected>' in shown.text
    assert not re.search(r'name="uncertainty[^>]* required>', shown.text)
    assert re.search(r'<option value="mass">delivery: mass</option>', shown.text, re.IGNORECASE)

    typed = {
        "name": "D-K-1", "asset_id": scale["id"], "event_type_id": delivery["id"], "data_point_type": "mass",
        "valid_from": "2025-01-15T00:00",
    }  # fmt: skip
    refused = writer.post(f"{home}/calibrations/new", typed).expect(400)
    assert "calibration.uncertainty" in refused.text
    writer.post(f"{home}/calibrations/new", typed | TYPED).expect(303)

    [made] = api.get(f"{home}/calibrations").data
    assert (made["name"], made["uncertainty"]) == ("D-K-1", U)
    record = writer.get(f"{home}/calibrations/{made['id']}")
    assert "D-K-1" in record.text
    edit = f"{home}/calibrations/{made['id']}/edit"
    entries = typed_in(writer.get(edit), edit)
    assert entries["uncertainty.half_width"] == "40"
    writer.post(edit, entries | {"valid_until": "2027-01-15T00:00", "uncertainty.half_width": "38.5"}).expect(
        303
    )
    [changed] = api.get(f"{home}/calibrations").data
    assert (changed["valid_until"], changed["uncertainty"]["half_width"]) == (
        "2027-01-15T00:00:00.000Z", Decimal("38.5"),
    )  # fmt: skip


def test_the_certificate_of_a_calibration_is_chosen_by_its_name(api, writer, home, project, delivery):
    new = f"{home}/calibrations/new"
    assert re.search(r'<input[^>]*name="evidence_id"', writer.get(new).text)
    given.event_type(
        api, project, name="Visit of the laboratory", slug="visit", data_point_types=[given.text("who")]
    )
    fields = {"event_type": "visit", "start_time": "2025-01-14T10:00:00Z", "values": {"who": "Laboratory"}}
    visit = given.event(api, project, **fields)
    stored = api.upload(f"/events/{visit['id']}/evidence", "D-K-1.txt", b"k = 2\n").expect(201).body

    shown = writer.get(new).text
    of_event = writer.get(f"{home}/events/{visit['id']}").text

    words = "D-K-1.txt, of Visit of the laboratory on 2025-01-14"
    assert f'<option value="{stored["id"]}">{words}</option>' in shown
    assert f'href="{new}?evidence_id={stored["id"]}"' in of_event
    begun = typed_in(writer.get(f"{new}?evidence_id={stored['id']}"), new)
    typed = {
        "name": "D-K-1", "event_type_id": delivery["id"], "data_point_type": "mass",
        "valid_from": "2025-01-15T00:00",
    }  # fmt: skip
    writer.post(new, begun | typed | TYPED).expect(303)
    [made] = api.get(f"{home}/calibrations").data
    assert (made["evidence_id"], made["evidence"]["name"]) == (stored["id"], "D-K-1.txt")
    edit = f"{home}/calibrations/{made['id']}/edit"
    writer.post(edit, typed_in(writer.get(edit), edit) | {"evidence_id": ""}).expect(303)
    assert api.get(f"{home}/calibrations/{made['id']}").body["evidence"] is None


BOUNDARY = "boundary-of-the-form"


def multipart(writer, texts, name, content):
    """The body that a browser sends for a form with a file."""
    parts = [
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{text}\r\n'.encode()
        for key, text in ({"csrf_token": writer.word} | texts).items()
    ]
    file = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
    end = f"\r\n--{BOUNDARY}--\r\n".encode()
    return b"".join([*parts, file.encode(), b"Content-Type: text/plain\r\n\r\n", content, end])


def test_the_file_of_a_certificate_comes_in_the_same_form(api, writer, home, project, delivery):
    new = f"{home}/calibrations/new"
    shown = writer.get(new).text
    assert 'type="file" name="file"' in shown
    assert f'formaction="{new}/file" formenctype="multipart/form-data"' in shown
    typed = {
        "name": "D-K-1", "event_type_id": delivery["id"], "data_point_type": "mass",
        "valid_from": "2025-01-15T00:00",
    } | TYPED  # fmt: skip
    writer.upload(f"{new}/file", multipart(writer, typed, "D-K-1.txt", b"k = 2\n"), BOUNDARY).expect(422)
    assert api.get(f"{home}/calibrations").data == []
    fields = {"event_type": delivery["slug"], "start_time": "2025-01-14T10:00:00Z", "values": {"mass": 1}}
    event = given.event(api, project, **fields)

    writer.upload(f"{new}/file", multipart(writer, typed, "D-K-1.txt", b"k = 2\n"), BOUNDARY).expect(303)

    [made] = api.get(f"{home}/calibrations").data
    assert (made["name"], made["evidence"]["name"]) == ("D-K-1", "D-K-1.txt")
    [kept] = api.get(f"{home}/events/{event['id']}/evidences").data
    assert kept["id"] == made["evidence_id"]


def test_a_file_of_no_known_type_leaves_no_calibration(api, writer, home, project, delivery):
    given.event(api, project, event_type=delivery["slug"], values={"mass": 1})
    new = f"{home}/calibrations/new"
    writer.get(new)
    typed = {
        "name": "D-K-1", "event_type_id": delivery["id"], "data_point_type": "mass",
        "valid_from": "2025-01-15T00:00",
    } | TYPED  # fmt: skip

    refused = writer.upload(f"{new}/file", multipart(writer, typed, "run.exe", b"MZ"), BOUNDARY)

    assert refused.status in {415, 422}
    assert api.get(f"{home}/calibrations").data == []


def test_a_static_input_says_how_well_it_is_known(api, writer, home):
    typed = {"slug": "grid-factor", "value": "0.38", "effective_from": "2025-01-01T00:00"}
    stated = {"uncertainty.relative_half_width": "0.05", "uncertainty.distribution": "rectangular"}

    writer.post(f"{home}/static_inputs/new", typed | stated).expect(303)

    [made] = api.get(f"{home}/static_inputs").data
    assert made["uncertainty"] == {"relative_half_width": Decimal("0.05"), "distribution": "rectangular"}


def test_the_form_of_an_event_type_keeps_what_it_states_and_takes_more(api, writer, home, delivery):
    edit = f"{home}/event_types/{delivery['id']}/edit"
    entries = typed_in(writer.get(edit), edit)

    writer.post(edit, entries | {"data_point_types[0].name": "Gross mass"}).expect(303)
    [kept] = api.get(f"{home}/event_types/{delivery['id']}").body["data_point_types"]
    assert (kept["name"], kept["uncertainty"]) == ("Gross mass", U)
    stated = {
        "data_point_types[0].uncertainty.percentiles.low": "1",
        "data_point_types[0].uncertainty.half_width": "",
    }
    refused = writer.post(edit, typed_in(writer.get(edit), edit) | stated).expect(422)
    assert "wrong-data_point_types[0].uncertainty.percentiles" in refused.text


def test_the_page_of_a_data_point_shows_what_is_stated_of_it(api, writer, home, project, delivery):
    points = [{"slug": "mass", "value": 1, "uncertainty": U | {"source": "By hand"}}]
    event = given.event(api, project, event_type=delivery["slug"], data_points=points)

    shown = writer.get(f"{home}/data_points/{event['data_points'][0]['id']}").expect(200).text

    [said] = re.findall(r"<dt>Uncertainty</dt><dd>(.*?)</dd>", shown, re.DOTALL)
    words = " ".join(re.sub(r"<[^>]*>", "", said).split())
    assert words == "half width 40 kg, k = 2; By hand"
