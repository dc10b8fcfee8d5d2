"""The TypeScript client compiles strictly, and tells in Node the story of a plant with every digit.

`make packages` installs the compiler; on a machine without npm these tests are left out.
"""

import json
import re
import shutil
import subprocess
from decimal import Decimal

import pytest
from tests.architecture.source import ROOT

from weighbridge.core.problem import CODES

PACKAGE = ROOT / "clients" / "typescript"
COMPILER = ROOT / ".venv" / "foreign" / "node_modules" / ".bin" / "tsc"
SECONDS_MAX = 300

pytestmark = pytest.mark.skipif(
    not COMPILER.exists() or shutil.which("node") is None,
    reason="the compiler of TypeScript is not installed (make packages), so its client is not tried",
)


def run(*command, folder, expected=0):
    """Run a program; gives what it printed."""
    ran = subprocess.run(
        [str(part) for part in command],
        cwd=folder, capture_output=True, text=True, timeout=SECONDS_MAX, check=False,
    )  # fmt: skip
    assert ran.returncode == expected, ran.stdout[-5_000:] + ran.stderr[-5_000:]
    return ran.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder in which the package is built and installed."""
    folder = tmp_path_factory.mktemp("typescript")
    package = folder / "node_modules" / "weighbridge-client"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("node_modules", "dist"))
    run(COMPILER, "--project", "tsconfig.json", folder=package)
    (folder / "package.json").write_text('{"type": "module"}')
    return folder


def compile_program(folder, text, expected=0):
    (folder / "program.ts").write_text(text)
    options = ("--strict", "--target", "es2022", "--module", "nodenext", "--lib")
    return run(
        COMPILER, *options, "es2022,dom,dom.iterable,dom.asynciterable", "program.ts",
        folder=folder, expected=expected,
    )  # fmt: skip


def test_a_plant_is_told_from_its_project_to_a_report(server, account, api, folder):
    compile_program(folder, (PACKAGE / "test" / "story.ts").read_text())

    with account.working():
        printed = run("node", "program.js", server.address, api.token, folder=folder)

    told = json.loads(printed)
    whole = Decimal("1234567890123456789012345678.423456")
    assert told["receipts"] == 3
    assert told["values"] == ["1234567890123456789012345678.123456", "0.1", "0.2"]
    assert told["kinds"] == ["number", "string"]
    assert Decimal(told["left"]) == whole
    assert (told["lastState"], Decimal(told["taken"])) == ("complete", Decimal("0.1"))
    assert told["refusals"] == [
        ["not_found", 404, "not_found", True],
        ["invalid", 422, told["refusals"][1][2], True],
        ["invalid", 422, told["refusals"][2][2], True],
    ]
    assert {code for _, _, code, _ in told["refusals"]} <= {*CODES}
    assert [message.partition(";")[0] for message in told["floats"]] == [
        "0.1 is a binary float", "0.1 is a binary float", '"a lot" is no decimal number, such as "12.50".',
    ]  # fmt: skip
    assert "Plant by TypeScript" in told["projects"]
    assert {"event", "async_task", "batch", "report"} <= {*told["changes"]}
    assert told["file"].endswith(".csv")
    assert told["bytes"] > 100
    balance = api.get(f"/ledgers/{told['ledger']}").body["balance"]
    assert balance in {whole, whole - Decimal("0.1")}


def test_what_the_page_prints_compiles(folder):
    page = (ROOT / "docs" / "howto" / "use-the-typescript-client.md").read_text()

    compile_program(folder, "".join(re.findall(r"^```ts\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)))


REFUSED = {
    'const mass: Decimal = "1.5";': "is not assignable to type 'Decimal'",
    'client.projects.create({ title: "Plant" });': "'title' does not exist",
    'client.events.list("prj_1", { sort_by: "id" });': "'sort_by' does not exist",
    'const severity: records.Rule["severity"] = "loud";': "is not assignable to type",
    'const code: ErrorCode = "unheard_of";': "is not assignable to type 'ErrorCode'",
}


def test_the_compiler_finds_what_the_service_would_refuse(folder):
    head = 'import { type Client, type Decimal, type ErrorCode, type records } from "weighbridge-client";\n'
    program = [f"{head}declare const client: Client;", *REFUSED]

    found = compile_program(folder, "\n".join(program), expected=2).splitlines()

    errors = [line for line in found if line.startswith("program.ts(")]
    assert len(errors) == len(REFUSED)
    for number, (error, told) in enumerate(zip(errors, REFUSED.values(), strict=True), 3):
        assert error.startswith(f"program.ts({number},")
        assert told in error


def test_json_keeps_digits_and_texts_that_look_like_numbers(folder):
    printed = run("node", "node_modules/weighbridge-client/test/json.mjs", folder=folder).splitlines()

    assert printed == ["true true 1.000000000000000000000000000000001", '12.50 "12.50" 5']


def test_what_is_sent_again_and_what_never_is(folder):
    told, erased = json.loads(run("node", "node_modules/weighbridge-client/test/calls.mjs", folder=folder))

    assert told == [
        [201, 3, 1, True],
        ["unreachable", 1, 1, True],
        ["unreadable_answer", 1, 1, True],
        ["conflict", 1, 1, True],
    ]
    assert erased == "/api/v1/ledgers/a%2Fb"
