"""Every field of every record says what it means, and every word says which words there are."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
import pytest

from weighbridge.contents import SLICES
from weighbridge.core import identity
from weighbridge.core.identity import API_PREFIX
from weighbridge.core.platform.permission import ALL_PERMISSIONS
from weighbridge.http.openapi import document
from weighbridge.http.openapi.schemas import EXACT, EXAMPLES, SHARED, Schemas
from weighbridge.http.text import one_of, shown_as

ROOT: Final = Path(__file__).parents[2]

NOTES: Final = {EXACT, "UTC, to the millisecond.", "A time with an offset or Z."}
"""What is said of a type wherever it stands; no field is described by that alone."""

_FREE: Final = """
    action added adjusted_by adjusts after allocation_group asset_category asset_type assets before
    category checked_value city client_reference code content_type corrected_by country data_point
    data_point_slug data_point_type data_points description dismissal_reason dismissed_by email
    entered_value equation error_message event_type events expression feedstocks field filled filter
    functions geography ghg hash key label lat lca_role ledger long message missing model name
    next_cursor node nodes notes object operators output partition passed_over_slots postal_code
    problems progress_description reads reason record records rejected_by rejection_reason removed
    result reverted_by rule rule_name serial_number sha256 slot slots slug sort street_address_1
    street_address_2 subcategory time_zone token touched_slots tracking_id unit url user_email
    user_name version_label warnings weight where yaml evidence_url valid_when
    adapter compared_with liability_reason reference report_type said_by superseded_by supersedes
    approval_comment approved_by comment created_by passed_over_with_data revoked_by
    when border_where operating_where
    time_format duration encoding delimiter sheet archive_files tag_column value_column skip_rows flag
    watch column
    not_followed ledger_name
"""
FREE_TEXTS: Final = frozenset(_FREE.split())
"""Names of fields that hold what people or other fields say; any other text is one of some words."""

FREE_IN_ONE_RECORD: Final = {
    "AgentReportOfState.version": "what an agent says of itself",
    **dict.fromkeys(
        ("AgentMapping.digest", "AgentMappingVersion.digest", "MappingOffer.digest", "MappingState.digest"),
        "a hash",
    ),
    "MappedVariable.source": "a name of an agent's file",
    **dict.fromkeys(
        (
            "MappedVariable.arrived_at",
            "MappedVariable.quality",
            "MappedVariable.status",
        ),
        "a slug",
    ),
    "MappedVariable.locations": "ids",
    "MappingState.sources": "names of an agent's file",
    "BrowsedNode.data_type": "what a server calls a type",
    "BrowsedNode.value": "what a server holds",
    "Browsing.source": "a name of an agent's file",
    "BrowsingAnswer.error": "a sentence of an agent",
    "BrowsingQuestion.source": "a name of an agent's file",
    "LastValue.value": "what a source measured",
    "LastValue.variable": "a name of a source",
    "PlantAgent.version": "what an agent says of itself",
    "SourceState.error": "a sentence of an agent",
    "SourceState.state": "a word of an agent",
    "SourceState.type": "a word of an agent's file",
    "IssuedTicket.ticket": "random, but for what it stands for",
    "ImpactOnReport.role": "what a ledger is for",
    "MethodologyLedger.role": "what a ledger is for",
    "NamedReportLedger.role": "what a ledger is for",
    "ReportLedger.role": "what a ledger is for",
    "CatalogueRecord.parent": "what a registry calls a project",
    "RegistryCall.answer": "what a registry answered",
    "RegistryCall.body": "what a registry was sent",
    "RegistryCall.method": "the method of a request",
    "RegistryCall.path": "a path of a registry",
    "RegistryFinding.received": "a number as a registry wrote it",
    "RegistryFinding.sent": "a number as it was sent",
    "RegistryState.status": "a word of a registry",
    "RegistryStatement.status": "a word of a registry",
    "Address.state": "a part of a postal address",
    "Calibration.error_unit": "a unit",
    "NewCalibration.error_unit": "a unit",
    "CalibrationChange.error_unit": "a unit",
    "ReportPreview.media_type": "what a file is called on its way",
    "ReportPreview.text": "the beginning of a file",
    "RoundedNumber.place": "a place of a file",
    "RollingWindow.same": "an expression",
    "CalendarWindow.same": "an expression",
    "RuleTable.columns": "what people call columns",
    "FillingWindow.same": "an expression",
    "FillingCalendarWindow.same": "an expression",
    "GapWindow.same": "an expression",
    "StatedUncertainty.effect": "what people call what values share",
    "WebhookChange.secret": "a secret text",
    "UncertaintyRun.arithmetic": "a sentence about where floats end",
    "UncertaintyRun.inputs_sha256": "a digest",
    "UncertaintyLine.effect": "what people call what values share, or a slug",
    "UncertaintyLine.input": "the slug of a node, or a table and its column",
    "UncertaintyLine.owner": "what has an effect alone, in words",
    "WeighedEffect.effect": "what people call what values share, or a slug",
    "WeighedEffect.inputs": "slugs of nodes, or tables and their columns",
    "WeighedEffect.owner": "what has an effect alone, in words",
    "UncertaintySaving.effect": "what people call what values share, or a slug",
    "UncertaintySaving.inputs": "slugs of nodes, or tables and their columns",
    "UncertaintySaving.owner": "what has an effect alone, in words",
    "MaterialEffect.effect": "what people call what values share, or a slug",
    "MaterialEffect.inputs": "slugs of nodes, or tables and their columns",
    "MaterialEffect.owner": "what has an effect alone, in words",
    "ReportUncertainty.unknown_batches": "ids of batches",
    "InstallationPreview.version": "a version of a package",
    "LibraryPackage.about": "what a package says",
    "LibraryPackage.documents": "what a package says",
    "LibraryPackage.licence": "what a package says",
    "LibraryPackage.measures": "what a package says",
    "LibraryPackage.title": "what a package says",
    "LibraryPackage.version": "a version of a package",
    "LockedPackage.version": "a version of a package",
    "MethodologyPackage.about": "what a package says",
    "MethodologyPackage.documents": "what a package says",
    "MethodologyPackage.licence": "what a package says",
    "MethodologyPackage.measures": "what a package says",
    "MethodologyPackage.publisher": "what a package says",
    "MethodologyPackage.title": "what a package says",
    "MethodologyPackage.version": "a version of a package",
    "PackageCase.source": "what a package says",
    "PackageCaseValue.actual": "a value with its unit",
    "PackageCaseValue.expected": "a value with its unit",
    "PackageContents.page": "a page of Markdown",
    "PackageContents.samples": "names of files",
    "PackageEntry.source": "what a package says",
    "PackageInstallation.title": "what a package says",
    "PackageInstallation.version": "a version of a package",
    "PackageModel.document": "a document of YAML",
    "PackageModel.draws_from": "names of ledgers",
    "PackageModel.primary_output": "the slug of a node",
    "PackageModel.title": "what a package says",
    "PackagePart.package": "the slug of a package",
    "PackageSection.section": "what a package says",
    "PackageSection.tables": "tables of models",
    "PackageSection.what": "what a package says",
    "PackageSignature.fingerprint": "the digest of a key",
    "PackageSignature.publisher": "what a package says",
    "PackageSignature.sentence": "a sentence",
    "PackageSource.edition": "what a package says",
    "PackageSource.title": "what a package says",
    "UpgradePreview.version_after": "a version of a package",
    "UpgradePreview.version_before": "a version of a package",
    "StatedUncertainty.source": "what people say or call something",
    "BundleResult.report": "an id, under a name that 1.0.0 gave it",
    "DeletionResult.deleted": "ids, under a name that 1.0.0 gave them",
    "GenerationResult.batches": "ids, under a name that 1.0.0 gave them",
    "SubmissionResult.report": "an id, under a name that 1.0.0 gave it",
    "NewSavedView.query": "what the address of a list says",
    "SavedView.query": "what the address of a list says",
    "SavedViewChange.query": "what the address of a list says",
    "CorrectedRow.cells": "cells of a file",
    "InvalidRow.cells": "cells of a file",
    "InvalidRows.header": "the names of columns",
    "Engagement.criteria": "what people say or call something",
    "Engagement.log_root": "a hash",
    "Engagement.population_sha256": "a digest",
    "Engagement.scope": "what people say or call something",
    "Engagement.seed": "a digest",
    "Engagement.seed_text": "what a verifier says",
    "Engagement.verifier": "what people say or call something",
    "FindingAnswer.answer": "what people say or call something",
    "NewEngagement.criteria": "what people say or call something",
    "NewEngagement.scope": "what people say or call something",
    "NewEngagement.verifier": "what people say or call something",
    "NewFinding.text": "what people say or call something",
    "Opinion.bundle_sha256": "a digest",
    "Opinion.public_key": "a public key as SSH writes it",
    "Opinion.reasons": "what people say or call something",
    "Opinion.signature": "a signature as SSH writes it",
    "Opinion.statement": "a statement, as it is signed",
    "OpinionDraft.reasons": "what people say or call something",
    "PopulationChanges.changed": "ids of records",
    "RecordChange.by": "what people say or call something",
    "RecordChange.what": "a field, or what was done",
    "SampleDraw.seed_text": "what a verifier says",
    "SampledRecord.recorded_by": "what people say or call something",
    "SignedOpinion.public_key": "a public key as SSH writes it",
    "SignedOpinion.signature": "a signature as SSH writes it",
    "SignedOpinion.statement": "a statement, as it is signed",
    "StatementToSign.namespace": "what a signature is for",
    "StatementToSign.statement": "a statement, as it is signed",
    "VerifierFinding.answer": "what people say or call something",
    "VerifierFinding.answered_by": "what people say or call something",
    "VerifierFinding.decision": "what people say or call something",
    "VerifierFinding.recorded_by": "what people say or call something",
    "VerifierFinding.text": "what people say or call something",
    "AuditKey.origin": "the name that the heads of an account's log bear",
    "AuditKey.ssh_public_key": "a public key as SSH writes it",
    "AuditKey.verifier_key": "a public key as checkers of signed notes take it",
    "AuditKeys.origin": "the name that the heads of an account's log bear",
    "AuditKeys.verifier_key": "a public key as checkers of signed notes take it",
    "AuditKeyStatement.key_signature": "a signature as SSH writes it",
    "AuditKeyStatement.successor_signature": "a signature as SSH writes it",
    "AuditKeyStatement.text": "lines that are signed",
    "AuditWitness.failure": "a sentence",
    "AuditWitness.verifier_key": "a public key as checkers of signed notes take it",
    "AttemptMade.answer": "what a receiver said",
    "AttemptMade.error": "a sentence",
    "ChangePage.cursor": "a place in the feed",
    "ComparedNode.unit_after": "a unit",
    "ComparedNode.unit_before": "a unit",
    "ComparedVersions.problems_after": "sentences",
    "ComparedVersions.problems_before": "sentences",
    "DataFeed.watch_problem": "a sentence",
    "DataFeedUpload.file_name": "the name of a file",
    "DataFeedUpload.place": "a folder or a URL",
    "HeaderQuestion.header": "names of columns",
    "SuggestedColumns.lacking": "slugs and fields of events",
    "SuggestedColumns.unclear": "names of columns",
    "UploadProblem.stored": "what its event has there",
    "UploadProblem.value": "what stands in a cell",
    "ErrorBody.status": "the one word `error`",
    "ErrorItem.type": "what kind of record was asked for",
    "FeedChange.cursor": "a place in the feed",
    "IssuedWebhook.cursor": "a place in the feed",
    "IssuedWebhook.disabled_reason": "a sentence",
    "IssuedWebhook.secret": "a secret",
    "LineageNode.source": "where the methodology says so",
    "PendingRollUps.source": "the slug of an event type",
    "Rule.asset": "the name of an asset",
    "RuleVersion.asset": "the name of an asset",
    "SavedRule.asset": "the name of an asset",
    "RolledUpValue.source": "the slug of a data point type",
    "RulePreviewAlert.value": "a checked value as a text",
    "Footprint.deprecated_reason": "a sentence",
    "Footprint.primary_data_share_reason": "a sentence",
    "FootprintCall.last_error": "a sentence",
    "FootprintEvent.source": "an address, as its sender writes it",
    "FootprintEvent.type": "words of PACT",
    "FootprintPartner.address": "an address",
    "FootprintPartner.token_address": "an address",
    "FootprintPartnerChange.address": "an address",
    "FootprintPartnerChange.client_secret": "a secret",
    "FootprintPartnerChange.token_address": "an address",
    "FootprintProduct.company_name": "the name of a company",
    "FootprintProduct.product_classifications": "URNs",
    "FootprintProduct.quantity": "a term",
    "FootprintProductChange.company_name": "the name of a company",
    "FootprintProductChange.product_classifications": "URNs",
    "FootprintProductChange.quantity": "a term",
    "GroupRole.group": "a group of a provider",
    "IdentityProvider.domains": "domains",
    "IdentityProvider.failure": "a sentence",
    "IdentityProvider.groups_claim": "the name of a claim",
    "IdentityProvider.issuer": "an address",
    "IdentityProvider.logout_uri": "an address",
    "IdentityProvider.redirect_uri": "an address",
    "IdentityProvider.sign_in_url": "an address",
    "IdentityProviderChange.client_secret": "a secret",
    "IdentityProviderChange.domains": "domains",
    "IdentityProviderChange.groups_claim": "the name of a claim",
    "IdentityProviderChange.issuer": "an address",
    "NewIdentityProvider.client_secret": "a secret",
    "NewIdentityProvider.domains": "domains",
    "NewIdentityProvider.groups_claim": "the name of a claim",
    "NewIdentityProvider.issuer": "an address",
    "IssuedFootprintClient.client_secret": "a secret",
    "NewFootprintPartner.address": "an address",
    "NewFootprintPartner.client_secret": "a secret",
    "NewFootprintPartner.token_address": "an address",
    "NewFootprintProduct.company_name": "the name of a company",
    "NewFootprintProduct.product_classifications": "URNs",
    "NewFootprintProduct.quantity": "a term",
    "WantedFootprint.replaces": "UUIDs",
    "NewRegistry.address": "an address",
    "NewRegistry.status_address": "an address",
    "Registry.address": "an address",
    "Registry.status_address": "an address",
    "Registry.secret_headers": "names of headers",
    "SubmissionStep.detail": "what a registry says",
    "RegistryChange.address": "an address",
    "RegistryChange.status_address": "an address",
    "StoredSubmission.media_type": "what a file is called on its way",
    "Methodology.version": "the version as its owner writes it",
    "NewMethodology.version": "the version as its owner writes it",
    "Webhook.cursor": "a place in the feed",
    "Webhook.disabled_reason": "a sentence",
    "WebhookDelivery.cursor": "a place in the feed",
    "WebhookDelivery.type": "what a message calls a kind and an action",
}

ANSWERED_OTHERWISE: Final[Mapping[str, str]] = {
    "event_type": "requests name it by its slug; `Event` shows what it is called, and the slug as `slug`",
    "lat": "a request may give a number; the answer is a text, so that no digit is lost",
    "long": "as `lat`",
    "project_id": "a request may give the number; the answer is the friendly id",
}
"""Names that a request and its answer have in common with two types or meanings; interface.md says why."""


class Address(msgspec.Struct):
    """Where it is. As a postman reads it."""

    city: str
    """The town,
    as it is written."""


class Depot(msgspec.Struct):
    """A place that trucks come from."""

    description: str
    status: Annotated[str, one_of(("open", "closed"))]
    """Whether trucks
    come and go."""
    address: Address
    former: Address | None
    slug: str
    """What routes are planned with."""
    unit: str
    phone: str


class NewDepot(msgspec.Struct, forbid_unknown_fields=True):
    """What a caller sends to make a depot."""

    status: Annotated[str, one_of(("open",))]
    slug: str
    """What routes will be planned with."""
    size: Annotated[dict[str, Any], shown_as(Address)] | None = None


ANSWERED_ELSEWHERE: Final = {
    *("asset_id", "feedstock_id", "model_id"),
    *(
        "batch_ids",
        "batches",
        "data_point_ids",
        "evidence_type",
        "model_ids",
        "model_versions",
        "expires_in",
        "expires_in_days",
        "client_secret",
        "headers",
        "keep_differing",
        "reason",
        "replaces",
        "secret",
        "user_email",
        "yaml",
    ),
}
"""Names of requests that the record has another name for, or another place; interface.md says why."""


@pytest.fixture(scope="module")
def shown() -> dict[str, Any]:
    schemas = Schemas()
    schemas.of(Depot)
    schemas.of(NewDepot)
    return {name: one["properties"] for name, one in schemas.components.items()}


def test_the_sentence_below_a_field_is_its_description(shown):
    assert shown["Depot"]["status"]["description"] == "Whether trucks come and go."
    assert shown["Address"]["city"]["description"] == "The town, as it is written."


def test_the_sentence_below_a_field_goes_before_the_one_that_all_records_share(shown):
    assert shown["Depot"]["slug"]["description"] == "What routes are planned with."
    assert shown["Depot"]["description"]["description"] == SHARED["description"]


def test_what_a_request_says_nothing_about_means_what_it_means_in_its_record(shown):
    assert shown["NewDepot"]["status"]["description"] == "Whether trucks come and go."
    assert shown["NewDepot"]["slug"]["description"] == "What routes will be planned with."


def test_a_field_that_holds_a_record_is_described_by_that_records_first_sentence(shown):
    assert shown["Depot"]["address"]["description"] == "Where it is."
    assert shown["Depot"]["former"]["description"] == "Where it is."


def test_a_field_that_nothing_is_said_of_has_no_description(shown):
    assert "description" not in shown["Depot"]["phone"]


def test_a_text_has_the_example_of_its_name(shown):
    assert shown["Depot"]["unit"]["examples"] == ["t"]
    assert "examples" not in shown["Depot"]["status"]


def test_words_are_told_and_not_decoded(shown):
    assert shown["Depot"]["status"]["enum"] == ["open", "closed"]
    decoded = msgspec.json.decode(b'{"status": "ajar", "slug": "d"}', type=NewDepot)
    assert decoded.status == "ajar"


def test_a_field_is_shown_as_another_type_than_it_is_read_as(shown):
    assert shown["NewDepot"]["size"]["anyOf"][0] == {"$ref": "#/components/schemas/Address"}
    decoded = msgspec.json.decode(b'{"status": "open", "slug": "d", "size": {"x": 1}}', type=NewDepot)
    assert decoded.size == {"x": 1}


@pytest.fixture(scope="module")
def schemas() -> dict[str, Any]:
    return document.document(SLICES, API_PREFIX)["components"]["schemas"]


def fields(schemas: Mapping[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for record, schema in schemas.items():
        for name, field in schema["properties"].items():
            yield record, name, field


def texts(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The texts that a field may hold, alone, in a list, or beside other types."""
    for option in schema.get("anyOf", ()):
        yield from texts(option)
    if "items" in schema:
        yield from texts(schema["items"])
    if schema.get("type") in ("string", ["string", "null"]):
        yield schema


def types(schema: Mapping[str, Any]) -> set[str]:
    """The JSON types that a field may have, null aside."""
    if "$ref" in schema:
        return {"object"}
    if "anyOf" in schema:
        return set().union(*map(types, schema["anyOf"]))
    found = schema.get("type") or {type(one).__name__.replace("str", "string") for one in schema["enum"]}
    return ({found} if isinstance(found, str) else set(found)) - {"null"}


def pairs(schemas: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Each request with the record that it makes or changes, by their names."""
    abouts = ((request, re.sub(r"^New|Change$", "", request)) for request in schemas)
    found = [(request, answer) for request, answer in abouts if answer != request and answer in schemas]
    assert len(found) > 20
    return found


def test_every_field_of_every_record_is_described_in_a_sentence(schemas):
    sentence = re.compile(r"[A-Z].*[^.…]\.")
    wrong = [
        f"{record}.{name}: {field.get('description')}"
        for record, name, field in fields(schemas)
        if not sentence.fullmatch(field.get("description", ""))
        or len(field["description"].split()) < 3
        or field["description"] in NOTES
    ]
    assert not wrong


def test_no_sentence_of_a_field_is_too_long_to_be_read_in_a_table(schemas):
    assert [
        f"{record}.{name}" for record, name, field in fields(schemas) if len(field["description"]) > 200
    ] == []


def test_every_text_is_one_of_some_words_or_is_known_to_be_free(schemas):
    undecided = {
        f"{record}.{name}"
        for record, name, field in fields(schemas)
        for text in texts(field)
        if not text.keys() & {"enum", "format", "pattern"}
        and name not in FREE_TEXTS
        and not re.search(r"(^|_)ids?$", name)
    }
    assert undecided == set(FREE_IN_ONE_RECORD)


def test_every_shared_sentence_and_every_example_stands_in_the_document(schemas):
    described = {(name, field["description"]) for _, name, field in fields(schemas)}
    shown = {(name, example) for _, name, field in fields(schemas) for example in field.get("examples", ())}
    assert set(SHARED.items()) <= described
    assert set(EXAMPLES.items()) <= {one for one in shown if isinstance(one[1], str)}


def test_a_window_is_rolling_or_calendar_and_says_its_words(schemas):
    assert schemas["NewRule"]["properties"]["window"]["anyOf"] == [
        {"$ref": "#/components/schemas/RollingWindow"},
        {"$ref": "#/components/schemas/CalendarWindow"},
        {"type": "null"},
    ]
    assert schemas["RollingWindow"]["properties"]["kind"]["enum"] == ["rolling", "trailing"]
    assert schemas["WindowDuration"]["properties"]["unit"]["enum"] == ["minute", "hour", "day", "week"]
    assert schemas["CalendarWindow"]["properties"]["unit"]["enum"] == [
        "day",
        "week",
        "month",
        "quarter",
        "year",
    ]
    assert schemas["CalendarWindow"]["properties"]["extent"]["enum"] == ["to_date", "whole_period"]
    assert schemas["RuleCorrection"]["properties"]["method"]["enum"] == ["expression"]


def test_words_of_requests_are_those_that_the_service_takes(schemas):
    def words(record: str, name: str) -> list[str]:
        return next(texts(schemas[record]["properties"][name]))["enum"]

    assert words("NewRule", "target") == ["data_point", "model_run"]
    assert words("NewRule", "purpose") == ["alert", "adjust", "substitute", "impute"]
    assert words("RuleChange", "evaluation") == ["automatic", "on_demand"]
    assert words("NewRule", "window_member_scope") == ["event", "location", "event_type", "project"]
    assert words("NewEventType", "cadence_unit") == ["minute", "hour", "day", "week", "month"]
    assert words("NewEventType", "expected_locations") == ["none", "one", "two"]
    assert words("NewDataPointType", "value_type") == ["number", "string", "boolean"]
    assert words("NewAssetCustomField", "value_type") == ["text", "number", "boolean", "date"]
    assert words("NewLedger", "rounding") == ["half_even", "down"]
    assert words("ProjectChange", "status") == ["active", "archived"]
    pattern = next(texts(schemas["NewApiToken"]["properties"]["permissions"]))["pattern"]
    project = identity.of("project", 1)
    limited = {one for one in ALL_PERMISSIONS if re.fullmatch(pattern, f"{one}@{project}")}
    assert all(re.fullmatch(pattern, one) for one in ALL_PERMISSIONS)
    assert limited == {one for one in ALL_PERMISSIONS if not one.startswith("administration:")}
    assert not re.fullmatch(pattern, "data_collection:look")


def test_a_request_and_the_record_that_it_is_about_have_one_name_and_type_for_one_thing(schemas):
    unlike = {
        name
        for request, answer in pairs(schemas)
        for name, field in schemas[request]["properties"].items()
        if name in schemas[answer]["properties"]
        and types(field) != types(schemas[answer]["properties"][name])
    }
    assert unlike | {"event_type"} == set(ANSWERED_OTHERWISE)


def test_what_the_record_of_a_request_has_not_under_its_name_is_told_with_the_reason(schemas):
    elsewhere = {
        name
        for request, answer in pairs(schemas)
        for name in schemas[request]["properties"]
        if name not in schemas[answer]["properties"]
    }
    assert elsewhere == ANSWERED_ELSEWHERE

    page = (ROOT / "docs" / "reference" / "interface.md").read_text()
    table = page.partition("## Names")[2].partition("\n## ")[0]
    asked = " ".join(row.split("|")[1] for row in table.splitlines() if row.startswith("|"))
    assert set(re.findall(r"`([a-z_]+)`", asked)) == ANSWERED_ELSEWHERE | set(ANSWERED_OTHERWISE)


def test_a_filter_whose_values_are_words_names_them():
    paths = document.document(SLICES, API_PREFIX)["paths"]

    def schema(path: str, name: str) -> dict[str, Any]:
        parameters = paths[f"/api/v1/projects/{{project_id}}/{path}"]["get"]["parameters"]
        return next(one["schema"] for one in parameters if one.get("name") == name)

    assert schema("rule_results", "status")["enum"] == ["fail", "error", "dismissed", "pass"]
    assert schema("rule_results", "filter[status][eq]")["enum"] == ["fail", "error", "dismissed", "pass"]
    assert schema("rule_results", "filter[rule_id][eq]") == {"type": "string"}
    assert schema("events", "filter[status][eq]")["enum"] == ["complete", "incomplete"]
