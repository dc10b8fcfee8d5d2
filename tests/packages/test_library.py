"""Each package of the library serves from an empty project to a proof bundle, on the data that it brings.

Its cases and sources are checked by `test_checking.py`.
"""

from pathlib import Path

import pytest
from tests.given import collection as given
from tests.given.bundles import bundle
from tests.given.library import LIBRARY, PACKAGES, WITH_MODELS, install

from weighbridge.packages.contents import read_folder
from weighbridge.packages.reading import read_package

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "packages.md"


@pytest.mark.parametrize("name", WITH_MODELS)
def test_a_package_goes_from_its_samples_to_a_proof(name, api, account):
    installed = install(api, account.drain, name)
    uploads = installed.import_samples()
    tasks = [installed.generate(ledger) for ledger in installed.ledgers]
    reports = [installed.report(ledger) for ledger in installed.ledgers]

    assert sorted(uploads) == sorted(one["slug"] for one in installed.event_types)
    for slug, upload in uploads.items():
        assert (upload["state"], upload["incomplete"], upload["bad_rows"]) == ("complete", 0, 0), (
            slug,
            upload,
        )
        assert upload["stored"] == upload["rows"] > 0, (slug, upload)
    assert [task["error_message"] for task in tasks] == [None] * len(tasks)
    for ledger, report in zip(installed.ledgers, reports, strict=True):
        balance = installed.api.get(f"/ledgers/{ledger['id']}").body["balance"]
        assert report["amount"] == balance > 0, ledger["name"]
        assert bundle(account, report).faults() == []
        installed.api.get(f"/reports/{report['id']}/submission/download").expect(200)


@pytest.mark.parametrize("name", PACKAGES)
def test_the_samples_of_a_package_raise_no_alert(name, api, drain):
    installed = install(api, drain, name)
    installed.import_samples()
    drain()

    found = installed.api.get(f"{installed.home}/rule_results", {"status": "fail"}).expect(200).data
    assert [result["message"] for result in found] == []


def test_a_month_without_an_analysis_takes_the_mean_around_it(api, drain):
    made = install(api, drain, "silicon-carbide")
    for kind, slug, values in (
        ("consumption", "mass", (2205,) * 3),
        ("analysis", "carbon-content", (89, 91)),
    ):
        months = (1, 2, 3) if kind == "consumption" else (1, 3)
        for month, value in zip(months, values, strict=True):
            start, end = f"2025-{month:02d}-01T00:00:00Z", f"2025-{month + 1:02d}-01T00:00:00Z"
            given.event(
                api, made.project, event_type=f"coke-{kind}", start_time=start, end_time=end,
                values={f"coke-{slug}": value},
            )  # fmt: skip
    drain()

    analyses = api.get(f"{made.home}/data_points", {"filter[slug]": "coke-carbon-content"}).data
    made.generate(made.ledgers[0], start_time="2025-01-01T00:00:00Z", end_time="2025-04-01T00:00:00Z")
    batches = api.get(f"/ledgers/{made.ledgers[0]['id']}/batches").data

    assert sorted((point["value"], point["imputed"]) for point in analyses) == [
        (89, False), (90, True), (91, False),
    ]  # fmt: skip
    assert [batch["primary_output"]["value"] for batch in batches][1] == 4290


@pytest.mark.parametrize("name", WITH_MODELS)
def test_the_reference_has_each_package_with_its_version_and_its_sources(name):
    package = read_package(read_folder(LIBRARY / name))
    _, _, rest = PAGE.read_text().partition(f"## {name} {package.manifest.version}\n")
    section = " ".join(rest.partition("\n## ")[0].split())

    assert section
    for source in package.sources:
        assert source.title in section, source.key


@pytest.mark.parametrize("name", [name for name in PACKAGES if name not in WITH_MODELS])
def test_the_reference_has_each_pack_of_rules_in_a_row_with_its_sources(name):
    package = read_package(read_folder(LIBRARY / name))
    [row] = [line for line in PAGE.read_text().splitlines() if line.startswith(f"| {name} ")]

    assert f"{name} {package.manifest.version} |" in row
    assert package.sources[0].title.partition(" (")[0] in row
