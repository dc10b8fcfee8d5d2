"""Pages of operations do what their buttons say: tokens are made and revoked, messages sent, tasks shown."""

import re

import pytest
from tests.given import collection as given
from tests.given.people import Visitor, visitor
from tests.given.requests import World
from tests.given.sealing import seal_rows_of
from tests.given.witnesses import LyingWitness, lying_witness
from tests.server import Account, Answer, Caller, Server

from weighbridge.core.key_history import KeyStatementKind
from weighbridge.core.proof import InclusionProof, open_checkpoint
from weighbridge.core.signing import VerifierKey
from weighbridge.http.outgoing import CallReach, OutgoingClient
from weighbridge.platform.audit_keys import KeyChange, change_key, install_next_key, keep_key, read_next_key
from weighbridge.platform.audit_tree import Signer, read_key, signer
from weighbridge.platform.audit_witnesses import ask_for_account


def words(answer: Answer) -> str:
    """What a page says, without its marks."""
    return " ".join(re.sub(r"<[^>]+>", " ", answer.expect(200).text).split())


_TOKEN = re.compile(r"<code class=\"long\">(wb_live_\w+)</code>")


@pytest.fixture
def administrator(account: Account) -> Visitor:
    return visitor(account)


def made(administrator: Visitor) -> str:
    typed = {"name": "meter", "permissions": ["data_collection:read"], "days": "30"}
    [token] = _TOKEN.findall(administrator.post("/api_tokens", typed).expect(200).text)
    return token


def test_a_token_is_shown_once_and_does_what_it_may(server: Server, administrator: Visitor):
    token = made(administrator)

    Caller(server, token).get("/projects").expect(200)
    Caller(server, token).post("/projects", {"project": {"name": "A", "time_zone": "UTC"}}).expect(403)
    assert token not in administrator.get("/api_tokens").expect(200).text


def test_a_token_that_is_revoked_opens_nothing(server: Server, administrator: Visitor, sql, account: Account):
    token = made(administrator)
    [(number,)] = sql("SELECT id FROM api_tokens WHERE account_id = %s AND name = 'meter'", account.id)

    administrator.post(f"/api_tokens/{number}/revoke").expect(303)

    assert Caller(server, token).get("/projects").expect(401).error["code"] == "token_revoked"
    assert "revoked" in administrator.get("/api_tokens").expect(200).text


def test_a_token_without_a_permission_is_refused_at_its_form(administrator: Visitor):
    refused = administrator.post("/api_tokens", {"name": "meter", "days": "30"}).expect(422)

    assert 'value="meter"' in refused.text
    assert 'role="alert"' in refused.text


def test_nobody_makes_a_token_who_may_not_administer(account: Account):
    visitor(account, "administration:read").post("/api_tokens", {"name": "x"}).expect(403)


def test_a_webhook_shows_its_deliveries_and_is_tried(world: World):
    ada = visitor(world.account)
    page = f"/projects/{world.ids['project']}/webhooks/{world.ids['webhook']}"
    before = ada.get(page).expect(200).text.count("<tr>")

    ada.post(f"{page}/test").expect(303)

    assert ada.get(page).expect(200).text.count("<tr>") == before + 1


def test_a_task_shows_how_far_it_is_and_one_that_has_ended_is_not_cancelled(world: World):
    ada = visitor(world.account)
    page = f"/projects/{world.ids['project']}/async_tasks/{world.ids['task']}"

    assert 'value="100"' in ada.get(page).expect(200).text
    ada.post(f"{page}/cancel").expect(409)


_SECRET = re.compile(r"<code class=\"long\">(whsec_[\w+/=]+)</code>")


def test_a_webhook_is_made_changed_switched_and_removed(world: World):
    ada = visitor(world.account)
    home = f"/projects/{world.ids['project']}"
    typed = {"url": "https://partner.example/hooks", "description": "Partner", "project": "yes"}

    made = ada.post(f"{home}/webhooks", typed | {"change_types": ["batch", "report.update"]}).expect(200).text
    [secret] = _SECRET.findall(made)
    [webhook] = re.findall(r"/webhooks/(whk_\w+)\"[^>]*>Partner<", made)
    page = f"{home}/webhooks/{webhook}"

    assert secret not in ada.get(f"{home}/webhooks").expect(200).text
    shown = ada.get(page).expect(200).text
    assert "batch, report update" in shown
    assert 'value="report.update" checked' in shown
    ada.post(page, typed | {"change_types": ["event.create"]}).expect(303)
    changed = world.account.caller().get(f"/webhooks/{webhook}").body
    assert (changed["change_types"], changed["project_id"]) == (["event.create"], world.ids["project"])
    ada.post(f"{page}/switch", {"on": "no"}).expect(303)
    assert not world.account.caller().get(f"/webhooks/{webhook}").body["is_enabled"]
    ada.post(f"{page}/switch", {"on": "yes"}).expect(303)
    [other] = _SECRET.findall(ada.post(f"{page}/roll_secret", {"hours": "24"}).expect(200).text)
    assert other != secret
    assert "Previous secret valid until" in ada.get(page).text
    ada.post(f"{page}/delete").expect(303)
    ada.get(page).expect(404)


def test_a_webhook_that_cannot_be_is_refused_at_its_form(world: World):
    ada = visitor(world.account)
    typed = {"url": "ftp://partner.example", "description": "Partner", "change_types": ["batch"]}

    refused = ada.post(f"/projects/{world.ids['project']}/webhooks", typed).expect(422).text

    assert 'value="ftp://partner.example"' in refused
    assert 'value="batch" checked' in refused
    assert 'id="wrong-url"' in refused


def test_the_audit_log_shows_its_head_and_gives_what_a_stranger_checks_it_by(world: World):
    ada = visitor(world.account)
    api = world.account.caller()
    home = f"/projects/{world.ids['project']}"
    shown = ada.get(f"{home}/audit_log").expect(200).text
    key = VerifierKey.read(api.get("/audit_log/key").body["verifier_key"])

    note = ada.get(f"{home}/audit_log/head").expect(200)

    head = open_checkpoint(note.text, key)
    assert head.root.hex() in shown
    assert note.text.splitlines()[-1] in shown
    assert note.headers["content-disposition"].startswith("attachment")
    address = re.findall(r'href="([^"]+/proof\?[^"]+)"', shown)[-1].replace("&amp;", "&")
    number = int(re.search(r"number=(\d+)", address)[1])
    proof = InclusionProof.read(ada.get(address).expect(200).text)
    [row] = api.get("/audit_log", {"filter[number]": str(number)}).data
    assert proof.verify(bytes.fromhex(row["hash"]), key) == head
    extended = ada.get(f"{home}/audit_log/consistency?from=1&to={head.size}").expect(200).text
    assert note.text.splitlines()[1] in extended
    ada.get(f"{home}/audit_log/proof?number=0&size=1").expect(422)


def test_the_audit_log_shows_what_one_person_changed_in_a_time_field_by_field(account: Account):
    administrator, api = visitor(account), account.caller()
    project = given.project(api)["id"]
    asset = given.asset(api, {"id": project}, name="Shredder")["id"]
    api.patch(f"/projects/{project}/assets/{asset}", {"asset": {"name": "Second shredder"}}).expect(200)
    [row] = api.get("/audit_log", {"filter[action]": "asset.update"}).data
    listed = f"/projects/{project}/audit_log?filter[user_id]={row['user_id']}&from=2020-01-01T00:00"

    shown = words(administrator.get(listed))

    assert "asset.update Field Before After Name Shredder Second shredder" in shown
    assert "No matching rows" in words(administrator.get(f"{listed}&until=2020-01-02T00:00"))
    assert "No matching rows" in words(administrator.get("/audit_log?filter[user_id]=999999"))


def test_below_a_project_the_audit_log_shows_the_writes_to_that_project(account: Account):
    administrator, api = visitor(account), account.caller()
    plant, other = given.project(api), given.project(api)
    given.asset(api, plant)
    path = f"/projects/{other['id']}/audit_log"

    shown = administrator.get(path).expect(200).text
    everything = administrator.get("/audit_log").expect(200).text

    assert "<summary>project.create</summary>" in shown
    assert "<summary>asset.create</summary>" not in shown
    assert "<summary>asset.create</summary>" in everything
    rows = administrator.get(f"{path}.json").expect(200).body["data"]
    assert {row["project_id"] for row in rows} == {other["id"]}


def test_the_audit_log_shows_how_keys_followed_and_how_witnesses_fare(lone_server):
    with (
        lying_witness(LyingWitness(name="near.example/log")) as near,
        lying_witness(LyingWitness(name="late.example/log", status=500)) as late,
        lone_server() as first,
        first.again(audit_witnesses=(near.setting, late.setting)) as server,
    ):
        account = server.account()
        retired, installed = endorse_next_key(server)
        ask_witnesses_about(server, account)

        shown = visitor(account).get("/audit_log").expect(200).text

        assert "endorsed its successor" in shown
        assert f'data-copy="{retired.verifier(account.id).text}"' in shown
        assert f'data-copy="{installed.verifier(account.id).text}"' in shown
        assert re.search(r"near\.example/log</td>.*?cosigns</span>", shown, re.DOTALL)
        assert re.search(r"late\.example/log</td>.*?failing</span>.*?500", shown, re.DOTALL)
        # In the file of a head the lines of witnesses follow the one of the key.
        assert f'<code class="long">\N{EM DASH} {installed.origin(account.id)} ' in shown


def endorse_next_key(server: Server) -> tuple[Signer, Signer]:
    """Replace the key of an installation; the signers before and after."""

    async def rotate() -> None:
        async with server.database.write() as tx:
            await keep_key(tx, server.settings)
            before = read_key(server.settings)
            change = KeyChange(KeyStatementKind.ENDORSEMENT, before, read_next_key(server.settings), None)
            await change_key(tx, server.settings, change, "given")

    async def read_signer() -> Signer:
        async with server.database.write() as tx:
            await keep_key(tx, server.settings)
            return await signer(tx, server.settings)

    before = server.run(read_signer())
    server.run(rotate())
    install_next_key(server.settings)
    return before, server.run(read_signer())


def ask_witnesses_about(server: Server, account: Account) -> None:
    """Have the witnesses cosign the newest head of an account's log."""

    async def asked() -> None:
        async with OutgoingClient(CallReach.of(server.settings.outgoing_networks)) as client:
            await ask_for_account(server.database, client, server.settings, account.id)

    server.run(seal_rows_of(server.database, account.id))
    server.run(asked())


def test_the_rows_of_one_record_are_found_with_what_was_before_and_after(world: World):
    ada = visitor(world.account)
    asset = world.ids["asset"]

    shown = ada.get(f"/projects/{world.ids['project']}/audit_log?filter[object]={asset}").expect(200).text

    assert "<summary>asset.create</summary>" in shown
    assert "Shredder" in shown


def test_flags_say_what_is_on_and_are_switched_by_administrators(account: Account):
    administrator, reader = visitor(account), visitor(account, "data_collection:read")
    shown = reader.get("/feature_flags").expect(200).text
    assert 'Rules engine <span class="state good">on</span>' in shown
    assert "Turn off" not in shown
    assert reader.post("/feature_flags", {"feature": "rules_engine", "is_on": "no"}).status == 403

    administrator.post("/feature_flags", {"feature": "rules_engine", "is_on": "no"}).expect(303)

    assert "Turn on rules engine" in administrator.get("/feature_flags").expect(200).text
    assert account.caller().get("/feature_flags").body["rules_engine"] is False
    refused = administrator.post("/feature_flags", {"feature": "gravity", "is_on": "no"}).expect(422).text
    assert "feature must be one of rules_engine, data_capture_rate, approval_of_own" in refused


def test_health_says_what_the_process_the_database_and_the_queue_tell(account: Account, sql):
    administrator = visitor(account)
    shown = administrator.get("/health").expect(200).text
    assert ">current<" in shown
    assert ">sufficient<" in shown
    assert "none running" in shown

    sql(
        "INSERT INTO async_tasks (account_id, user_id, request_id, type, args, created_at) "
        "SELECT account_id, min(id), 'req', 'export', '{}', '2025-03-12T14:05:00Z' FROM users"
        " WHERE account_id = %s GROUP BY account_id",
        account.id,
    )

    assert re.search(r"the oldest since.*12 Mar 2025 14:05", administrator.get("/health").expect(200).text)
    visitor(account, "data_collection:read").get("/health").expect(403)
