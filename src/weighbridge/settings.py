"""The settings of one process, read once from environment variables and never changed afterwards.

A setting is a field of `Settings`: its annotation holds the type, the line of documentation and the
allowed range. The variable's name, the parser, the reference page and the refusals derive from it.

Invariants: `read` either gives settings that all lie in their ranges or raises once with every problem;
`read(environment(settings))` gives the same settings back.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from weighbridge.core.collection.data_feed import is_root
from weighbridge.core.identity import is_key_name
from weighbridge.core.platform.settings import (
    Quotas,
    Range,
    Setting,
    TextForm,
    build_setting_problem,
    is_http_address,
    is_network,
    is_witness,
    read_text,
    read_texts,
    read_whole_number,
)
from weighbridge.core.problem import Problem
from weighbridge.errors import Refusal

PREFIX = "WEIGHBRIDGE_"
FILE_ENDING = "_FILE"
PORT_MAX = 65_535
POSTGRESQL_MIN = 16
"""The oldest major version of a PostgreSQL server that is used."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting of the service; each default suits one small machine."""

    data_dir: Annotated[
        Path,
        "The folder that holds the embedded database and, unless set apart, the evidence files.",
    ] = Path(".data")
    database_url: Annotated[
        str | None,
        f"A PostgreSQL server, version {POSTGRESQL_MIN} or newer, to use instead of the embedded one.",
    ] = None
    migration_database_url: Annotated[
        str | None,
        "The same database for the role that owns its tables and migrates; unset is the running role.",
    ] = None
    session_database_url: Annotated[
        str | None,
        "The same database past its pooler: set it where WEIGHBRIDGE_DATABASE_URL is PgBouncer's, in "
        "transaction mode; unset says that there is none.",
    ] = None
    replica_url: Annotated[
        str | None,
        "A streaming replica of that server, from which lists and exports are read; unset reads all from the "
        "server itself.",
    ] = None
    replica_wait_milliseconds: Annotated[
        int,
        "How long a list may wait for the replica to have all that is committed, before it is read from the "
        "primary.",
        Range(0, 10_000),
    ] = 250
    audit_key_file: Annotated[
        Path | None,
        "A file with the Ed25519 key that signs heads of the audit log, in PEM or as OpenSSH writes it, the "
        "same on every host; unset is audit-key.pem in the data folder, made at the first start.",
    ] = None
    audit_log_name: Annotated[
        str | None,
        "What the service is called in signed heads of the audit log, such as plant.example; unset is made "
        "from its first key.",
        TextForm(is_key_name, "a name without spaces or +, such as plant.example"),
    ] = None
    audit_witnesses: Annotated[
        tuple[str, ...],
        "Witnesses that cosign heads of the audit log (C2SP tlog-witness), separated by commas: the address "
        "of each, a space, and its verifier key; unset is none.",
        TextForm(
            is_witness, "addresses such as https://witness.example, each with a space and a verifier key"
        ),
    ] = ()
    audit_witness_seconds: Annotated[
        int, "How often witnesses are asked to cosign the newest heads, in seconds.", Range(1, 86_400)
    ] = 60
    time_stamp_url: Annotated[
        str | None,
        "A time-stamping authority (RFC 3161) that is asked over every proof bundle, as http or https URL; "
        "unset asks none.",
        TextForm(is_http_address, "an http or https URL, such as https://tsa.example/tsr"),
    ] = None
    time_stamp_certificates: Annotated[
        Path | None,
        "A PEM file with the root certificates by which time stamps are verified, and with any intermediate "
        "ones that the authority does not send; required with WEIGHBRIDGE_TIME_STAMP_URL.",
    ] = None
    secret_keys_file: Annotated[
        Path | None,
        "A file with the keys by which secrets of others are encrypted, the same on every host: 32 bytes in "
        "base64 on each line, of which the first encrypts; unset is secret-keys in the data folder, made at "
        "the first start.",
    ] = None
    secret_keys_command: Annotated[
        str | None,
        "A command that is given that file and writes the keys, such as age --decrypt -i /etc/age.key: what "
        "is in the file is then for a KMS alone; unset reads the file as it is.",
    ] = None
    package_publishers: Annotated[
        Path | None,
        "A file with the keys of known publishers of methodology packages: on each line a name and an Ed25519"
        " key, as ssh-keygen takes allowed signers; unset knows none.",
    ] = None
    evidence_url: Annotated[
        str | None,
        "Where evidence files are kept: file, s3, gs or az URL; unset keeps them in the data folder.",
    ] = None
    backup_url: Annotated[
        str | None,
        "Where `weighbridge serve` backs up the embedded database and the evidence files all the time: a "
        "folder on another disk, or a file, s3, gs or az URL; unset backs up nothing by itself.",
    ] = None
    backup_hours: Annotated[int, "Hours between two whole backups there.", Range(1, 8_760)] = 24
    backup_keep: Annotated[
        int, "Whole backups that stay there, with all that came since.", Range(1, 10_000)
    ] = 7
    backup_seconds: Annotated[
        int,
        "How often what came since is copied there, in seconds: what a lost disk may cost.",
        Range(1, 86_400),
    ] = 60
    backup_warning_hours: Annotated[
        int,
        "How old the last backup of the embedded database may be before the log warns of it each hour; 0 "
        "never warns.",
        Range(0, 8_760),
    ] = 48
    host: Annotated[str, "The address on which the service listens."] = "127.0.0.1"
    port: Annotated[int, "The port on which the service listens; 0 takes a free one.", Range(0, PORT_MAX)] = (
        8080
    )
    metrics_port: Annotated[
        int | None,
        "The port on which `weighbridge serve` has the counters for Prometheus, at /metrics and without a "
        "token; unset serves none.",
        Range(1, PORT_MAX),
    ] = None
    metrics_host: Annotated[str, "The address on which the counters are served."] = "127.0.0.1"
    base_url: Annotated[
        str | None,
        "The address under which people reach the service, used in links; unset is host and port.",
    ] = None
    api_processes: Annotated[int, "How many processes answer requests.", Range(1, 64)] = 2
    api_connections: Annotated[
        int, "Database connections of one API process, at most; one more tells readiness.", Range(2, 100)
    ] = 10
    computing_processes: Annotated[
        int,
        "Processes that carry out what computes and what brings a long body; with 0 the API processes do.",
        Range(0, 64),
    ] = 1
    computing_megabytes: Annotated[
        int,
        "How much memory one computing process may take, in MB, before it is started again; on Linux.",
        Range(256, 1_000_000),
    ] = 2_048
    worker_concurrency: Annotated[int, "Tasks that one worker works on at the same time.", Range(1, 64)] = 2
    lease_seconds: Annotated[
        int, "How long a worker may give no sign of life before its tasks pass to another.", Range(2, 3_600)
    ] = 30
    task_seconds: Annotated[
        int, "How long one task may be at work before it fails, in seconds.", Range(1, 604_800)
    ] = 3_600
    rate_limit_per_minute: Annotated[
        int, "Requests that one token may make in a minute; 0 sets no limit.", Range(0, 1_000_000_000)
    ] = 1000
    account_requests: Annotated[
        int,
        "Requests that one account may have under way in one API process, those that wait included.",
        Range(1, 100_000),
    ] = 100
    quota_tasks: Annotated[
        int, "Tasks of one account that may be pending or running; 0 sets no quota.", Range(0, 1_000_000)
    ] = 1_000
    quota_events_a_day: Annotated[
        int, "Events that one account may store in a day (UTC); 0 sets no quota.", Range(0, 10**12)
    ] = 0
    quota_evidence_files: Annotated[
        int, "Evidence files that one account may keep; 0 sets no quota.", Range(0, 10**12)
    ] = 0
    quota_evidence_bytes: Annotated[
        int, "Bytes of evidence files that one account may keep; 0 sets no quota.", Range(0, 10**18)
    ] = 0
    failed_authentications_per_minute: Annotated[
        int,
        "Refused tokens after which a client address has to wait for the next minute; 0 sets no limit.",
        Range(0, 1_000_000),
    ] = 1000
    refusals_per_second: Annotated[
        int,
        "Refusals that a client address has at once in a second; more wait 1 to 2 seconds; 0 lets all pass.",
        Range(0, 1_000_000),
    ] = 50
    trusted_proxies: Annotated[
        tuple[str, ...],
        "Networks, separated by commas, of proxies whose X-Forwarded-For and -Proto count; unset is none.",
        TextForm(is_network, "addresses or networks such as 10.0.0.0/8 or ::1, separated by commas"),
    ] = ()
    outgoing_networks: Annotated[
        tuple[str, ...],
        "Networks beside the public internet that the service may call for its users, also without TLS, "
        "separated by commas; unset is none.",
        TextForm(is_network, "addresses or networks such as 10.0.0.0/8 or ::1, separated by commas"),
    ] = ()
    token_lifetime_days_max: Annotated[
        int, "Days that a new token may live at most; 0 sets no bound.", Range(0, 3_650)
    ] = 0
    request_body_bytes: Annotated[
        int,
        "The size of the largest request body that is read, in bytes; most requests take less.",
        Range(1_024, 1_073_741_824),
    ] = 67_108_864
    cors_origins: Annotated[
        tuple[str, ...],
        "Origins whose pages may call from a browser (CORS), separated by commas; * is any, unset is none.",
        TextForm(
            re.compile(r"\*|https?://(?:[a-z0-9.-]+|\[[0-9a-f:]+\])(?::[0-9]{1,5})?").fullmatch,
            "origins such as https://plant.example, separated by commas, or *",
        ),
    ] = ()
    request_header_seconds: Annotated[
        int,
        "How long a connection may be open without the headers of a request having arrived, in seconds.",
        Range(1, 3600),
    ] = 5
    request_body_seconds: Annotated[
        int, "How long a request's body may take to arrive, in seconds.", Range(1, 3600)
    ] = 30
    answer_stalled_seconds: Annotated[
        int, "How long a client may take nothing of an answer that is sent to it, in seconds.", Range(1, 3600)
    ] = 30
    change_days: Annotated[
        int, "Days for which the feed of changes can be read; older cursors are refused.", Range(1, 3_650)
    ] = 30
    watched_roots: Annotated[
        tuple[str, ...],
        "Folders and prefixes of object stores below which data feeds may watch, separated by commas; "
        "plant=/srv/drop is for the account plant alone; unset is none.",
        TextForm(
            is_root,
            "absolute folders or s3, gs or az URLs, with ACCOUNT= before those for one account",
        ),
    ] = ()
    watch_seconds: Annotated[
        int, "How often a worker looks for files where data feeds watch, in seconds.", Range(1, 3_600)
    ] = 10
    watch_rest_seconds: Annotated[
        int,
        "How long a file in a watched folder must have stayed as it is before it is taken, in seconds.",
        Range(0, 86_400),
    ] = 30
    traces_url: Annotated[
        str | None,
        "Where spans are sent by OTLP over HTTP, such as http://127.0.0.1:4318/v1/traces; unset is what "
        "OTEL_EXPORTER_OTLP_ENDPOINT names, and without that none are sent.",
        TextForm(is_http_address, "an http or https URL, such as http://127.0.0.1:4318/v1/traces"),
    ] = None
    traces_percent: Annotated[
        int,
        "Of how many requests and tasks in a hundred spans are sent; a caller's traceparent goes before it.",
        Range(0, 100),
    ] = 100
    shutdown_seconds: Annotated[
        int,
        "How long requests and tasks in progress may take to finish when the service stops.",
        Range(1, 600),
    ] = 20
    frozen_seconds: Annotated[
        int, "How long a process may give no sign of life before it is started again.", Range(2, 3600)
    ] = 60
    root: Annotated[
        Literal["warn", "refuse"], "What becomes of a service that is started as root, with all its power."
    ] = "warn"
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"], "The least severe log line that is written."
    ] = "info"
    log_format: Annotated[
        Literal["auto", "console", "json"],
        "How log lines look; auto writes for people on a terminal and JSON elsewhere.",
    ] = "auto"

    @property
    def address(self) -> str:
        """Where the service answers, without a slash at the end."""
        return (self.base_url or f"http://{self.host}:{self.port}").rstrip("/")

    @property
    def quotas(self) -> Quotas:
        """What one account may use."""
        return Quotas(
            self.quota_tasks, self.quota_evidence_files, self.quota_evidence_bytes, self.quota_events_a_day
        )


def read(environ: Mapping[str, str] = os.environ) -> Settings:
    """Read the settings from the variables; an empty variable counts as unset.

    A URL, which may hold a password, comes from a file where its variable with `_FILE` behind it names one.
    """
    values: dict[str, Any] = {}
    problems: list[Problem] = []
    for setting in TABLE:
        text = _said(setting, environ)
        if isinstance(text, Problem):
            problems.append(text)
        elif text:
            value = _parse(setting, text)
            if isinstance(value, Problem):
                problems.append(value)
            values[setting.field] = value
    if problems:
        raise Refusal(problems)
    return Settings(**values)


def read_with(**options: object) -> Settings:
    """Read the settings; what was given on the command line stands before its variable."""
    given = {PREFIX + name.upper(): str(value) for name, value in options.items() if value is not None}
    of_files = {name + FILE_ENDING for name in given}
    return read({name: text for name, text in os.environ.items() if name not in of_files} | given)


def environment(settings: Settings) -> dict[str, str]:
    """Write the settings as the variables that another process reads them from."""
    values = {setting.variable: getattr(settings, setting.field) for setting in TABLE}
    return {
        variable: ",".join(value) if isinstance(value, tuple) else str(value)
        for variable, value in values.items()
        if value is not None
    }


def changed(settings: Settings) -> dict[str, str]:
    """The settings that are not at their defaults, by variable; URLs, which may hold passwords, as `set`."""
    usual = environment(Settings())
    texts = {name: text for name, text in environment(settings).items() if usual.get(name) != text}
    return {name: "set" if name.endswith("_URL") else text for name, text in texts.items()}


def unknown_variables(environ: Mapping[str, str] = os.environ) -> list[str]:
    """Name the variables that look like settings and are none: most often a slip of the pen."""
    known = {setting.variable for setting in TABLE}
    known |= {setting.variable + FILE_ENDING for setting in TABLE if setting.may_be_in_a_file}
    return sorted(name for name in environ if name.startswith(PREFIX) and name not in known)


def _said(setting: Setting, environ: Mapping[str, str]) -> str | Problem:
    """What the variable says, or the file that it names."""
    text, variable = environ.get(setting.variable, "").strip(), setting.variable + FILE_ENDING
    file = environ.get(variable, "").strip()
    if not setting.may_be_in_a_file or not file:
        return text
    if text:
        message = f"{setting.variable} and {variable} are both set; set one of them."
        return Problem(message, setting.field, "invalid_setting")
    try:
        return Path(file).expanduser().read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        message = f"{variable} names {file!r}, which cannot be read: {error}."
        return Problem(message, setting.field, "invalid_setting")


def _parse(setting: Setting, text: str) -> Any:
    if get_origin(setting.kind) is Literal:
        allowed = get_args(setting.kind)
        return (
            text if text in allowed else build_setting_problem(setting, text, f"one of {', '.join(allowed)}")
        )
    if setting.form is not None:
        is_list = get_origin(setting.kind) is tuple
        return (read_texts if is_list else read_text)(setting, text, setting.form)
    if setting.kind is int:
        return read_whole_number(setting, text)
    return Path(text).expanduser() if setting.kind is Path else text


def _table() -> tuple[Setting, ...]:
    hints = get_type_hints(Settings, include_extras=True)
    rows = []
    for field in fields(Settings):
        kind, doc, *limits = get_args(hints[field.name])
        ranges = [limit for limit in limits if isinstance(limit, Range)]
        forms = [limit for limit in limits if isinstance(limit, TextForm)]
        optional = NoneType in get_args(kind)
        present = [choice for choice in get_args(kind) if choice is not NoneType]
        kind = present[0] if optional else kind
        rows.append(
            Setting(
                field=field.name,
                variable=PREFIX + field.name.upper(),
                type=_type_name(kind),
                default="" if field.default in {None, MISSING, ()} else str(field.default),
                doc=doc,
                kind=kind,
                range=ranges[0] if ranges else None,
                form=forms[0] if forms else None,
            )
        )
    return tuple(rows)


def _type_name(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return " | ".join(get_args(kind))
    return {Path: "path", str: "text", int: "whole number", tuple[str, ...]: "list of texts"}[kind]


TABLE = _table()
