"""The OpenAPI document says where files come in and where they go out."""

from typing import Any

import pytest

from weighbridge.contents import SLICES
from weighbridge.core.identity import API_PREFIX
from weighbridge.http.openapi import document


@pytest.fixture(scope="module")
def paths() -> dict[str, Any]:
    return document.document(SLICES, API_PREFIX)["paths"]


def test_evidence_comes_as_a_link_in_json_or_as_a_file_in_a_form(paths):
    body = paths["/api/v1/events/{event_id}/evidence"]["post"]["requestBody"]
    form = body["content"]["multipart/form-data"]["schema"]

    assert set(body["content"]) == {"application/json", "multipart/form-data"}
    assert form["required"] == ["file"]
    assert list(form["properties"]) == ["file", "name", "type", "evidence_type"]
    assert form["properties"]["file"]["format"] == "binary"
    assert "26,214,400 bytes" in form["properties"]["file"]["description"]


def test_attaching_may_be_refused_for_its_size_and_its_type(paths):
    answers = paths["/api/v1/events/{event_id}/evidence"]["post"]["responses"]

    assert {"201", "400", "404", "413", "415", "422", "503"} <= set(answers)


def test_a_download_is_a_file_of_one_of_the_types_that_are_kept(paths):
    path = "/api/v1/projects/{project_id}/events/{event_id}/evidences/{evidence_id}/file"

    answer = paths[path]["get"]["responses"]["200"]

    assert "Content-Disposition" in answer["headers"]
    assert set(answer["content"]) == {
        "application/pdf", "image/png", "image/jpeg", "image/webp", "text/csv",
        "text/plain", "application/json",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    }  # fmt: skip
    assert all(one == {} for one in answer["content"].values())


def test_an_url_of_evidence_is_an_address_and_not_a_page_of_the_web_app():
    schemas = document.document(SLICES, API_PREFIX)["components"]["schemas"]

    for record in ("Evidence", "EventEvidence"):
        assert schemas[record]["properties"]["url"]["description"] == (
            "Where a file is downloaded, or where a link leads."
        )
