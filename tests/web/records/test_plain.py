"""Plain pages, of lists and records that have none of their own: what is not there yet, and what ids are."""

import html
import json
import re

import pytest
from tests.given import collection as given
from tests.given.people import visitor

MAKING = ("event_types", "locations", "feedstocks", "assets", "outages", "static_inputs")


@pytest.mark.parametrize("kind", MAKING)
def test_a_list_without_records_shows_the_call_that_makes_the_first(api, account, kind):
    project = given.project(api)
    reader = visitor(account)
    path = f"/projects/{project['id']}/{kind}"

    shown = reader.get(path).expect(200).text

    assert f"<h2>No {kind.replace('_', ' ')} yet</h2>" in shown
    [body] = re.findall(r"-d '(.*)'</code>", html.unescape(shown))
    assert f"/api/v1{path}" in shown
    api.post(path, json.loads(body)).expect(201)
    assert f"No {kind.replace('_', ' ')} yet" not in reader.get(path).text


def test_heads_of_a_list_are_words_and_numbers_of_records_no_amounts(api, account):
    project = given.project(api)
    outage = given.outage(api, project)

    shown = visitor(account).get(f"/projects/{project['id']}/outages").expect(200).text

    assert re.search(r"<th[^>]*><a[^>]*>Start time</a></th>", shown)
    assert re.search(rf'<td class="long">\s*<span class="prose">{outage["id"]}</span>', shown)
