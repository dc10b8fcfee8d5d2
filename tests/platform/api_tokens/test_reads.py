"""A read asks whom its token acts for together with what it reads; refusals are as if that came first."""

import pytest
from tests.given import collection as given

MASS = {"name": "Mass", "slug": "mass", "value_type": "number"}

CHANGES = {
    "the token was revoked": (
        "UPDATE api_tokens SET revoked_at = now() WHERE account_id = %s", 401, "token_revoked"
    ),
    "the token has expired": (
        """
        UPDATE api_tokens SET created_at = now() - interval '2 days', expires_at = now() - interval '1 second'
         WHERE account_id = %s
        """,
        401,
        "token_expired",
    ),
    "the token may do less": (
        "UPDATE api_tokens SET permissions = '{data_rules:read}' WHERE account_id = %s",
        403,
        "permission_missing",
    ),
}  # fmt: skip
PATHS = (
    "/projects/{project}/events",
    "/projects/{project}/events/{event}",
    "/projects/{project}/events?filter[status]=unheard-of",
    "/projects/{project}/events/evt_0123456789abcdef01234567",
    "/projects/prj_0123456789abcdef01234567/events",
)


@pytest.fixture
def plant(account):
    api = account.caller()
    project = given.measuring(api, MASS)
    event = given.event(api, project, values={"mass": 1})
    paths = [path.format(project=project["id"], event=event["id"]) for path in PATHS]
    answers = [api.get(path).status for path in paths]
    assert answers == [200, 200, 400, 404, 404]
    return api, paths


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("path", range(len(PATHS)))
def test_a_read_is_refused_for_its_token_before_anything_else(plant, account, sql, change, path):
    api, paths = plant
    statement, status, code = CHANGES[change]
    sql(statement, account.id)

    assert api.get(paths[path]).expect(status).error["code"] == code


def test_a_read_by_a_token_whose_use_is_an_hour_old_records_it(plant, account, sql):
    api, paths = plant
    sql(
        "UPDATE api_tokens SET last_used_at = now() - interval '61 minutes' WHERE account_id = %s", account.id
    )

    api.get(paths[0]).expect(200)

    [(is_recorded,)] = sql(
        "SELECT last_used_at > now() - interval '1 minute' FROM api_tokens WHERE account_id = %s", account.id
    )
    assert is_recorded


def test_every_read_counts_once_against_the_rate_limit_whatever_becomes_of_it(plant):
    api, paths = plant

    left = [int(api.get(path).headers["ratelimit-remaining"]) for path in (*paths, *paths)]

    assert left == list(range(left[0], left[0] - len(left), -1))
