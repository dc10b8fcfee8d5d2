"""The pages that others are made like: a list, a record, plain ones, signing in; each for everybody."""

import pytest
from tests.given.people import PASSWORD


def test_somebody_signs_in_and_sees_the_project(site, ada, world):
    with site.page() as page:
        page.goto(f"/projects/{world.ids['project']}/events")
        page.get_by_label("E-mail").fill(ada.email)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()

        page.get_by_role("heading", name="Events").wait_for()


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("projects", "/projects"),
        ("overview", "/projects/{project}"),
        ("events", "/projects/{project}/events"),
        ("event", "/projects/{project}/events/{event}"),
        ("batch", "/projects/{project}/batches/{batch}"),
        ("batches", "/projects/{project}/batches"),
        ("ledger", "/projects/{project}/ledgers/{ledger}"),
        ("audit", "/projects/{project}/audit_log"),
        ("people", "/projects/{project}/people"),
        ("identity_providers", "/identity_providers"),
        ("identity_provider", "/identity_providers/{identity_provider}"),
        ("new_identity_provider", "/identity_providers/new"),
        ("me", "/me"),
        ("tasks", "/projects/{project}/async_tasks"),
        ("task", "/projects/{project}/async_tasks/{task}"),
        ("tokens", "/projects/{project}/api_tokens"),
        ("webhooks", "/projects/{project}/webhooks"),
        ("webhook", "/projects/{project}/webhooks/{webhook}"),
        ("flags", "/projects/{project}/feature_flags"),
        ("health", "/projects/{project}/health"),
        ("find", "/projects/{project}/find?q=e"),
        ("sign_in", "/sign_in"),
    ],
)
def test_everybody_can_use_the_page(ada, world, name, address):
    ada.look(address.format_map(world.ids), shot=name)
