"""What reaches the pages without a token holds the event loop for no more than a tenth of a second, whatever
stands in cookies, parameters and forms.
"""

import pytest
from tests.given.loops import HELD_SECONDS_MAX, tried
from tests.given.people import visitor
from tests.server import Server

LONG = 60_000

TEXTS = {
    "escaped quotes": '"' + '\\"' * (LONG // 2) + '"',
    "quotes that open": '"' * LONG,
    "octal escapes": '"' + "\\012" * (LONG // 4) + '"',
    "backslashes": '"' + "\\" * LONG,
    "semicolons": "a=" + ";" * LONG,
    "pairs": "; ".join(f"c{number}=1" for number in range(LONG // 9)),
    "one name again and again": "; weighbridge_theme=dark" * (LONG // 24),
    "spaces": " " * LONG + "=1",
    "equals signs": "=" * LONG,
    "commas": "a," * (LONG // 2),
}

PATHS = (
    "/sign_in", "/", "/projects", "/join?key=x", "/enter?key=x", "/nothing", "/healthz", "/docs",
    "/api/v1/projects", "/reports/rep_1/by_link?key=x",
)  # fmt: skip


@pytest.mark.parametrize("name", ["weighbridge_theme", "weighbridge_session", "weighbridge_notice", "other"])
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_no_cookie_holds_up_others(server: Server, name: str, text: str):
    headers = {"cookie": f"{name}={text}"}

    answer, held = tried(server, lambda: server.request("GET", "/sign_in", (), None, headers))

    assert answer.status in {200, 303, 429}
    assert held < HELD_SECONDS_MAX


@pytest.mark.parametrize("path", PATHS)
def test_no_path_reads_a_hostile_cookie(server: Server, path: str):
    headers = {"cookie": f"weighbridge_theme={TEXTS['escaped quotes']}", "accept": "text/html"}

    _, held = tried(server, lambda: server.request("GET", path, (), None, headers))

    assert held < HELD_SECONDS_MAX


def test_a_session_beside_a_few_cookies_of_others_is_found(account):
    somebody = visitor(account)
    others = "; ".join(f'other{number}="a;b, c"' for number in range(50))
    secret = somebody.cookies["weighbridge_session"]

    ahead = {"cookie": f"{others}; weighbridge_session={secret}"}
    behind = {"cookie": f"weighbridge_session={secret}; {others}"}

    assert account.server.request("GET", "/me", (), None, ahead).status == 200
    assert account.server.request("GET", "/me", (), None, behind).status == 200


FORMS = {
    "the same field": b"&".join([b"theme=dark"] * 5_000),
    "fields": b"&".join(b"f%d=1" % number for number in range(5_000)),
    "escapes": b"theme=" + b"%41" * 600_000,
    "escapes that end early": b"theme=" + b"%" * 1_900_000,
    "separators": b"&" * 1_900_000,
    "line ends": b"theme=" + b"%0D%0A" * 300_000,
}


@pytest.mark.parametrize("path", ["/theme", "/sign_in", "/join"])
@pytest.mark.parametrize("content", FORMS.values(), ids=FORMS)
def test_no_form_of_a_stranger_holds_up_others(server: Server, path: str, content: bytes):
    headers = {"sec-fetch-site": "same-origin", "content-type": "application/x-www-form-urlencoded"}

    answer, held = tried(server, lambda: server.request("POST", path, (), content, headers))

    assert answer.status in {303, 400, 401, 404, 413, 429}
    assert held < HELD_SECONDS_MAX


@pytest.mark.parametrize("content", FORMS.values(), ids=FORMS)
def test_no_form_of_a_person_holds_up_others(account, content: bytes):
    somebody = visitor(account)
    headers = {
        "sec-fetch-site": "same-origin", "content-type": "application/x-www-form-urlencoded",
        "cookie": f"weighbridge_session={somebody.cookies['weighbridge_session']}",
    }  # fmt: skip

    answer, held = tried(
        account.server, lambda: account.server.request("POST", "/people/invite", (), content, headers)
    )

    assert answer.status in {400, 403, 413, 422}
    assert held < HELD_SECONDS_MAX
