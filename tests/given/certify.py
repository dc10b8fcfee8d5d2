"""Isometric Certify for tests: a double that keeps what it is sent.

The double knows states, pages and lost answers. Whether a request is valid is not for it to say: a test puts
Prism with the registry's published document in front of it (`tests/given/prism.py`).
"""

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from decimal import Decimal
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

SECRET = "client-secret-that-nobody-shows"  # noqa: S105 - made up
TOKEN = "bearer-token-that-nobody-shows"  # noqa: S105 - made up
TAKEN = "is taken"
"""What the registry says of a reference that it has: the document says that each is unique."""
MOMENT = "2026-01-05T10:00:00Z"
PROJECT = "prj_1CERTIFYPLANT000"
TEMPLATE = "rmt_1CERTIFYPLANT000"
STORED, EMITTED = "rtc_1CERTIFYSTORED00", "rtc_1CERTIFYEMITTED0"
FOREST, HUSK = "fst_1CERTIFYFOREST00", "fst_1CERTIFYHUSK0000"
FACILITY = "fac_1CERTIFYKILN0000"
FIELD = "slc_1CERTIFYFIELD000"

LISTS = {
    "/sources": ("source", "src"),
    "/datapoints": ("datapoint", "dpt"),
    "/feedstock_batches": ("feedstock_batch", "fsb"),
    "/production_batches": ("production_batch", "prb"),
    "/measurement_samples": ("sample", "msp"),
    "/sensors": ("sensor", "sen"),
    "/biochar_applications": ("application", "bse"),
    "/project_components": ("component", "cmp"),
    "/removals": ("removal", "rmv"),
    "/ghg_statements": ("statement", "ggs"),
    "/data-upload-submissions": ("submission", "dus"),
    "/file-uploads": ("upload", "fup"),
}
"""What is made by POST there, and how its ids begin."""

READ_AT = {"/components": "/project_components"}
"""Where what is made elsewhere is read."""


@dataclass
class CertifyDouble:
    """What the double has, and everything that it was asked."""

    page_size: int = 3
    records: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    journal: list[tuple[str, str, Any]] = field(default_factory=list)
    changed: Callable[[str, dict[str, Any]], None] = lambda *_: None
    """Changes what the registry keeps of a record, as a registry that rounds would."""
    hold: tuple[str, threading.Event, threading.Event] | None = None
    """Whether the next call that was not held so yet waits, `before` or `after` it is carried out."""
    held: set[tuple[Any, ...]] = field(default_factory=set)
    """The calls that were held or passed by, each with when."""
    every: int = 1
    """Of the calls that could be held, every how manyth is."""
    holds_reading: bool = False
    """Whether calls that read are held too."""
    lose: int = 0
    """So many answers are lost, of changes that are made."""
    late: dict[str, Any] = field(default_factory=dict)
    """Paths whose next request comes late, just before the one after it; its body, once it is under way."""
    refuse: dict[str, int] = field(default_factory=dict)
    """Statuses by which changes of a path are refused."""
    is_one_statement: bool = False
    """Whether it refuses a second statement of a period, of which the document says nothing."""
    says_uploaded: bool = True
    """Whether it answers 409 for a file that it has, which the document says in words alone."""
    address: str = ""
    lock: threading.RLock = field(default_factory=threading.RLock)

    def count(self, path: str) -> int:
        """How many records were made at a path."""
        return len(self.records.get(LISTS[path][0], {}))

    def all(self, kind: str) -> list[dict[str, Any]]:
        return [*self.records.get(kind, {}).values()]

    @property
    def references(self) -> Counter[str]:
        """How often each reference was given."""
        kinds = [kind for kind, _ in LISTS.values() if kind not in ("statement", "submission", "upload")]
        return Counter(
            record.get("supplier_reference_id") or record["reference"]
            for kind in kinds
            for record in self.all(kind)
        )

    @property
    def doubled(self) -> dict[str, int]:
        """By the journal: what was made more than once, each with how often."""
        made = [body for method, path, body in self.journal if method == "POST" and path in LISTS]
        said = (_reference_of(one) for one in made)
        counts = Counter(one for one in said if one)
        posts = Counter(path for method, path, _ in self.journal if method == "POST")
        counts |= Counter({path: posts[path] for path in ("/ghg_statements", "/data-upload-submissions")})
        counts |= Counter({path: count for path, count in posts.items() if path.endswith("/submit")})
        return {name: count for name, count in counts.items() if count > 1}

    @property
    def stage(self) -> tuple[int, ...]:
        """How far it has come: what is read at one stage is answered the same."""
        submitted = [one for one in self.all("statement") if one["status"] != "DRAFT"]
        return len(self.files), len(submitted), *(len(one) for one in self.records.values())

    @property
    def statement(self) -> dict[str, Any]:
        """The one statement."""
        [found] = self.all("statement")
        return found

    def forget(self) -> None:
        """Begin anew, with nothing."""
        self.records.clear()
        self.files.clear()
        self.journal.clear()
        self.held.clear()

    # What it makes of requests.

    def make(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        kind, prefix = LISTS[path]
        kept = self.records.setdefault(kind, {})
        number = f"{prefix}_1{len(kept) + 1:015d}"
        record = {"id": number, **getattr(self, f"_{kind}")(body)}
        self.changed(kind, record)
        kept[number] = record
        if kind == "source":
            return {"source": record, "signed_upload_url": self.sign(number)}
        if kind == "upload":
            return {"id": number, "upload_url": self.sign(number)}
        return record

    def sign(self, number: str) -> str:
        return f"{self.address}/files/{number}?signature=secret-of-{number}"

    def _source(self, body: Any) -> Any:
        return {
            "display_name": body["display_name"], "is_public": body.get("is_public", False),
            "original_filename": body["file_name"], "project_id": body["project_id"],
            "published_at": body["published_at"], "supplier_reference_id": body["supplier_reference_id"],
            "type": "DOCUMENT", "url_info": {"__typename": "SourcePrivateUrlInfo", "is_accessible": True},
        }  # fmt: skip

    def _datapoint(self, body: Any) -> Any:
        return {
            "description": body["description"], "display_name": body["display_name"],
            "locked_status": "not_locked", "measured_at": body.get("measured_at"),
            "project_id": body["project_id"], "quantity": dict(body["quantity"]),
            "source_ids": body["source_ids"], "supplier_reference_id": body["supplier_reference_id"],
            "type": body["type"],
        }  # fmt: skip

    def _feedstock_batch(self, body: Any) -> Any:
        return {"created_at": MOMENT, **body}

    def _production_batch(self, body: Any) -> Any:
        return {"uploaded_at": MOMENT, **body}

    def _sample(self, body: Any) -> Any:
        values = [{"datapoint_id": f"dpt_1{place:015d}", **one} for place, one in enumerate(body["values"])]
        return {
            "measured_at": body["measured_at"][:10], "measurement_location_id": None,
            "production_batch_id": body["production_batch_id"],
            "supplier_reference_id": body["supplier_reference_id"], "values": values,
        }  # fmt: skip

    def _sensor(self, body: Any) -> Any:
        return {
            "manufacturer": None, "model": None, "project_id": PROJECT, "reference": body["reference"],
            "measurement_property": body["measurement_property"], "units": body["units"],
        }  # fmt: skip

    def _application(self, body: Any) -> Any:
        kept = {name: one for name, one in body.items() if name not in ("source_ids", "project_id")}
        return {
            "storage_location_id": kept.pop("storage_site_id"),
            "removal_id": None,
            "uploaded_at": MOMENT,
        } | kept

    def _component(self, body: Any) -> Any:
        said = body["component_data"]
        return {
            "supplier_reference_id": said["supplier_reference_id"], "type": "ACTIVITY", "scope": "PROJECT",
            "display_name": said["display_name"], "description": None,
            "inputs": [
                {**one, "__typename": one["__typename"].removeprefix("Create")} for one in said["inputs"]
            ],
            "activity_completed_at": said["activity_completed_at"], "removal_template_component_id": None,
            "activity_started_at": said["activity_started_at"],
            "blueprint_key": said["component_blueprint_key"],
            "allocation_strategy": body["allocation_strategy"],
        }  # fmt: skip

    def _removal(self, body: Any) -> Any:
        return {
            "co2e_net_removed_kg": 0, "co2e_net_removed_standard_deviation_kg": None,
            "co2e_net_removed_without_discount_kg": 0, "completed_on": body["completed_on"],
            "feedstock_type_id": body.get("feedstock_type_id"), "ghg_statement_id": None,
            "started_on": body["started_on"], "supplier_reference_id": body["supplier_reference_id"],
        }  # fmt: skip

    def _statement(self, body: Any) -> Any:
        return {
            "credits_issued_at": None, "ghg_statement_report_url": None,
            "pending_total_co2e_removed_kg": None,
            "project_id": body["project_id"], "removal_ids": [], "reporting_period_end_at": body["end_on"],
            "reporting_period_start_at": "2025-01-01", "status": "DRAFT", "submitted_at": None,
            "verifier": None,
        }  # fmt: skip

    def _submission(self, body: Any) -> Any:
        return {
            "error_message": None, "facility_id": body.get("facility_id"), "status": "completed",
            "storage_location_id": body.get("storage_location_id"),
            "submission_type": body["submission_type"],
        }  # fmt: skip

    def _upload(self, _: Any) -> Any:
        return {}

    def list(self, path: str, query: dict[str, str]) -> list[dict[str, Any]] | None:
        """The records of a list; None for a path that is none."""
        if path in FIXED:
            return FIXED[path]()
        if path.endswith("/feedstock_batches") and path not in LISTS:
            kind = path.split("/")[2]
            return [one for one in self.all("feedstock_batch") if one["feedstock_type_id"] == kind]
        path = READ_AT.get(path, path)
        if path not in LISTS:
            return None
        found = self.all(LISTS[path][0])
        for name in ("supplier_reference_id", "reference"):
            if name in query:
                found = [one for one in found if one.get(name) == query[name]]
        if path == "/ghg_statements":
            found = [self.with_removals(one) for one in found]
        return found

    def with_removals(self, statement: dict[str, Any]) -> dict[str, Any]:
        """A statement with the removals that its end takes in."""
        ids = [
            one["id"] for one in self.all("removal")
            if one["completed_on"] <= statement["reporting_period_end_at"]
        ]  # fmt: skip
        return {**statement, "removal_ids": ids}

    def submit(self, number: str, body: dict[str, Any]) -> dict[str, Any]:
        found = self.records["statement"][number]
        found |= {
            "status": "AWAITING_VERIFICATION", "submitted_at": MOMENT,
            "ghg_statement_report_url": body["ghg_statement_report_url"],
        }  # fmt: skip
        return self.with_removals(found)


def _project() -> dict[str, Any]:
    return {
        "country_code": "IN", "description": None, "id": PROJECT, "name": "Biochar plant",
        "process_key": "biochar", "risk_of_reversal": "very_low", "short_description": None,
    }  # fmt: skip


def _feedstock_type(number: str, name: str) -> dict[str, Any]:
    return {"id": number, "name": name, "supplier_reference_id": None}


def _location() -> dict[str, Any]:
    return {
        "id": FIELD, "name": "Field at the river", "project_id": PROJECT, "storage_method": "biochar_field",
        "supplier_id": "spl_1CERTIFYSUPPLIER", "description": None,
    }  # fmt: skip


def _blueprint(key: str) -> dict[str, Any]:
    return {
        "description": key, "display_name": key.capitalize(), "expressions": [], "key": key,
        "type": "SEQUESTRATION" if key == "sequestration" else "ACTIVITY",
        "inputs": [
            {
                "compatible_unit": "kgCO2e", "data_shape": "SCALAR", "description": "Amount",
                "input_key": "co2e", "quantity_kind": "mass",
            }
        ],
    }  # fmt: skip


def _template() -> dict[str, Any]:
    def component(number: str, name: str, key: str) -> dict[str, Any]:
        return {
            "blueprint_key": key, "description": None, "display_name": name, "id": number,
            "inputs": [
                {
                    "datapoint_id": None, "display_name": "Amount", "input_key": "co2e",
                    "quantity_kind": "mass", "type": "monitored",
                }
            ],
            "removal_template_component_group_id": "rtg_1CERTIFYGROUP000", "removal_template_id": TEMPLATE,
        }  # fmt: skip

    components = [
        component(STORED, "Carbon stored", "sequestration"),
        component(EMITTED, "Emissions of production", "emission"),
    ]
    group = {
        "components": components, "description": "", "display_name": "Removal",
        "id": "rtg_1CERTIFYGROUP000", "key": "removal",
    }  # fmt: skip
    return {
        "display_name": "Biochar removal", "groups": [group], "id": TEMPLATE, "project_id": PROJECT,
        "supplier_reference_id": None,
    }  # fmt: skip


FIXED: dict[str, Callable[[], list[dict[str, Any]]]] = {
    "/projects": lambda: [_project()],
    "/component_blueprints": lambda: [_blueprint(name) for name in ("sequestration", "emission")],
    "/feedstock_types": lambda: [_feedstock_type(FOREST, "Forest"), _feedstock_type(HUSK, "Rice husks")],
    f"/projects/{PROJECT}/removal_templates": lambda: [_template()],
    f"/projects/{PROJECT}/storage_locations": lambda: [_location()],
    f"/projects/{PROJECT}/monitoring_requirements": list,
}
"""What the registry has from the start."""


class CertifyRequest(BaseHTTPRequestHandler):
    """A request to the double."""

    protocol_version = "HTTP/1.1"
    server: "CertifyServer"

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def answer(self, status: int, body: Any) -> None:
        content = b"" if body is None else json.dumps(body, default=_to_json).encode()
        self.send_response(status)
        if body is not None:
            self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        with suppress(BrokenPipeError, ConnectionResetError):  # whoever asked was killed
            self.end_headers()
            self.wfile.write(content)

    def read(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def do_GET(self) -> None:
        double, parts = self.server.double, urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if not self.is_known():
            return self.answer(422, {"detail": []})
        held = self.take_hold(self.path, double.stage) if double.holds_reading else None
        if held is not None and held[0] == "before":
            self.stay(held)
            return self.answer(503, {"detail": []})
        with double.lock:
            double.journal.append(("GET", self.path, None))
            nodes = double.list(parts.path, query)
            page = None if nodes is None else _page(nodes, query, double.page_size)
            status, answer = self.read_one(parts.path) if page is None else (200, page)
        if held is not None:
            self.stay(held)
        return self.answer(status, answer)

    def read_one(self, path: str) -> tuple[int, Any]:
        double = self.server.double
        base, _, number = path.rpartition("/")
        kind = LISTS.get(READ_AT.get(base, base), ("", ""))[0]
        record = double.records.get(kind, {}).get(number)
        if record is None:
            return 404, {"detail": []}
        return 200, double.with_removals(record) if kind == "statement" else dict(record)

    def do_POST(self) -> None:
        self.change(self.make)

    def do_DELETE(self) -> None:
        def remove(path: str, _: Any) -> tuple[int, Any]:
            base, _, number = path.rpartition("/")
            gone = self.server.double.records.get(LISTS[base][0], {}).pop(number, None)
            return (204, None) if gone else (404, {"detail": []})

        self.change(remove)

    def do_PUT(self) -> None:
        double, number = self.server.double, urlsplit(self.path).path.rpartition("/")[2]
        uploaded = self.read()

        def keep(*_: Any) -> tuple[int, Any]:
            double.files[number] = uploaded
            return 200, {}

        self.change(keep, content=uploaded)

    def make(self, path: str, body: Any) -> tuple[int, Any]:
        double = self.server.double
        if _reference_of(body) in double.references:  # "must be unique", says the document
            return 422, {"detail": [{"loc": ["supplier_reference_id"], "msg": TAKEN, "type": "value_error"}]}
        if path == "/ghg_statements" and double.is_one_statement and double.all("statement"):
            return 409, {"detail": []}
        if path.endswith("/submit"):
            return 200, double.submit(path.split("/")[2], body)
        if path.endswith("/signed_upload_url"):
            number = path.split("/")[2]
            is_there = number in double.files and double.says_uploaded
            return (409, {"detail": []}) if is_there else (200, double.sign(number))
        return 200, double.make(path, body)

    def change(self, work: Callable[[str, Any], tuple[int, Any]], content: bytes | None = None) -> None:
        double, path = self.server.double, urlsplit(self.path).path
        content = self.read() if content is None else content
        is_json = content and self.command != "PUT"
        body = json.loads(content, parse_float=Decimal) if is_json else None
        if self.command != "PUT" and not self.is_known():
            return self.answer(422, {"detail": []})
        held = self.take_hold(*self.name_change(path, body, content))
        if held is not None and held[0] == "before":
            self.stay(held)
            return self.answer(503, {"detail": []})
        with double.lock:
            if path in double.refuse:
                return self.answer(double.refuse[path], {"detail": []})
            if path in double.late and double.late[path] is None:
                double.late[path] = body
                self.close_connection = True
                return None
            double.journal.append((self.command, path, body))
            if path in double.late:
                double.make(path, double.late.pop(path))
            status, answer = work(path, body)
            is_lost = double.lose > 0
            double.lose -= is_lost
        if held is not None:
            self.stay(held)
        if is_lost:
            self.close_connection = True
            return None
        return self.answer(status, answer)

    def name_change(self, path: str, body: Any, content: bytes) -> tuple[str, str]:
        """What a change is, however often it comes."""
        said = body if isinstance(body, dict) else {}
        what = _reference_of(said) or said.get("file_name") or ""
        return path if self.command != "PUT" else path[:10] + sha256(content).hexdigest(), what

    def take_hold(self, path: str, what: Any) -> tuple[str, threading.Event, threading.Event] | None:
        """How this call is held; None where it is not, or was before."""
        double, held = self.server.double, self.server.double.hold
        if held is None or (key := (held[0], self.command, path, what)) in double.held:
            return None
        double.held.add(key)
        if len(double.held) % double.every:
            return None
        double.hold = None
        return held

    def stay(self, held: tuple[str, threading.Event, threading.Event]) -> None:
        """Let whoever waits know that the request is here, and answer when nobody reads it any more."""
        held[1].set()
        held[2].wait(30)

    def is_known(self) -> bool:
        return (
            self.headers.get("X-Client-Secret") == SECRET
            and self.headers.get("Authorization") == f"Bearer {TOKEN}"
        )


def _reference_of(body: dict[str, Any]) -> str | None:
    """The reference that a body gives."""
    said = body.get("component_data", body)
    return said.get("supplier_reference_id") or said.get("reference")


def _page(nodes: list[Any], query: dict[str, str], size: int) -> dict[str, Any]:
    start = int(query.get("after", 0))
    end = start + min(size, int(query.get("first", size)))
    return {
        "nodes": nodes[start:end], "total_count": len(nodes),
        "page_info": {
            "end_cursor": str(end), "has_next_page": end < len(nodes), "has_previous_page": start > 0,
            "start_cursor": str(start),
        },
    }  # fmt: skip


def _to_json(value: Any) -> Any:
    return float(value) if isinstance(value, Decimal) else str(value)


class CertifyServer(ThreadingHTTPServer):
    """The double as it listens."""

    daemon_threads = True

    def __init__(self, double: CertifyDouble) -> None:
        super().__init__(("127.0.0.1", 0), CertifyRequest)
        self.double = double


@contextmanager
def certify(**said: Any) -> Iterator[CertifyDouble]:
    """A double that listens."""
    double = CertifyDouble(**said)
    with CertifyServer(double) as server:
        double.address = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        try:
            yield double
        finally:
            server.shutdown()
