"""Packages that tests upload and install: the first of the library, and small ones made for a test."""

from collections.abc import Mapping
from pathlib import Path

from tests.given.collection import Record
from tests.server import Answer, Caller

from weighbridge.packages.contents import build, read_folder
from weighbridge.packages.skeleton import write_skeleton

LIBRARY = Path(__file__).parents[2] / "packages"


def shipped(name: str) -> dict[str, bytes]:
    """The files of a package of the library."""
    return dict(read_folder(LIBRARY / name))


def combustion() -> dict[str, bytes]:
    """A first version of a package of the library, with what its tier 1 needs alone."""
    files = {
        name: content for name, content in shipped("stationary-combustion").items() if "analysed" not in name
    }
    files["event_types.yaml"] = files["event_types.yaml"].partition(b"  - name: Analysed gas\n")[0]
    files["ledgers.yaml"] = files["ledgers.yaml"].partition(b"  - {name: Analysed gas,")[0]
    manifest, _, rest = files["package.yaml"].partition(b"version: ")
    files["package.yaml"] = manifest + b"version: 1.0.0\n" + rest.partition(b"\n")[2]
    return files


def small(name: str = "soda-ash", **changes: tuple[str, str]) -> dict[str, bytes]:
    """The files of a new package without its rule and sample, with a text of a file replaced by another."""
    files = {
        path: text
        for path, text in write_skeleton(name).items()
        if path != "rules.yaml" and not path.startswith("samples/")
    }
    for file, (before, after) in changes.items():
        [path] = [one for one in files if one.removesuffix(".yaml").endswith(file)]
        assert before in files[path]
        files[path] = files[path].replace(before, after)
    return {path: text.encode() for path, text in files.items()}


def complete() -> dict[str, bytes]:
    """The files of a package with a part of each kind."""
    return small() | {
        "static_inputs.yaml": b"""\
static_inputs:
  - {slug: oxidised, value: 0.99, effective_from: 2020-01-01T00:00:00Z, source: "standard, 4.2"}
""",
        "rules.yaml": b"""\
rules:
  - name: Energy is large
    expression: "{{energy}} > 1000"
    event_type_id: fuel-bill
    evaluation: on_demand
    effective_from: 2020-01-01T00:00:00Z
    source: standard, 4.4
""",
        "methodology.yaml": b"""\
methodologies:
  - {name: Soda ash, version: "2026", report_type: yearly, model_ids: [emissions]}
""",
    }


def requiring() -> tuple[dict[str, bytes], dict[str, bytes]]:
    """The files of two packages: `transport`, and `energy`, which needs a version of it below 2.0.0."""
    transport = small("transport", event_types=("Fuel bill", "Trip"), package=("0.1.0", "1.2.0"))
    needing = {
        name: text.replace(b"engine_revision", b'requires: {transport: ">=1.0.0 <2.0.0"}\nengine_revision')
        if name == "package.yaml"
        else text.replace(b"event_type: fuel-bill", b"event_type: trip")
        for name, text in small("energy").items()
    }
    of_trips = {
        name: text.replace(b"fuel-bill", b"trip").replace(b"Emissions", b"Transport")
        for name, text in transport.items()
    }
    return of_trips, needing


def upload(api: Caller, files: Mapping[str, bytes]) -> Record:
    """Upload the files of a package as one; gives the record."""
    package: Record = send(api, build(files).content).expect(201).body
    return package


def take(api: Caller, name: str) -> Record:
    """Take a package of the library into the account; gives the record."""
    package: Record = (
        api.post("/methodology_packages", {"methodology_package": {"name": name}}).expect(201).body
    )
    return package


def send(api: Caller, content: bytes) -> Answer:
    """Send a file as a package."""
    return api.upload("/methodology_packages", "package.zip", content)


def install(api: Caller, project: Record, package: Record, **fields: object) -> Answer:
    """Ask for a package to be installed in a project."""
    body = {"package_installation": {"package_id": package["id"]} | fields}
    return api.post(f"/projects/{project['id']}/package_installations", body)


def preview(api: Caller, project: Record, package: Record, **fields: object) -> Record:
    """What an installation would come to."""
    body = {"package_installation": {"package_id": package["id"]} | fields}
    path = f"/projects/{project['id']}/package_installations/preview"
    answer: Record = api.post(path, body).expect(200).body
    return answer
