"""A page of another origin follows changes by `EventSource`, as the how-to says."""

import http.server
from contextlib import contextmanager
from threading import Thread

from tests.given import collection as given

FOLLOW = """
    async ([address, ticket]) => {
        window.changes = []
        const source = new EventSource(`${address}/api/v1/changes?kind=event&ticket=${ticket}`)
        source.onmessage = ({data}) => window.changes.push(JSON.parse(data))
        await new Promise((resolve, reject) => { source.onopen = resolve; source.onerror = reject })
    }
"""


class _Dashboard(http.server.BaseHTTPRequestHandler):
    """A page that is no part of the service."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(b"<title>Dashboard of the plant</title>")

    def log_message(self, *_):
        """Requests are of no interest."""


@contextmanager
def dashboard():
    """The address of a web server of the plant."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Dashboard) as served:
        Thread(target=served.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{served.server_port}"
        served.shutdown()


def test_a_dashboard_of_the_plant_follows_changes_with_a_ticket(site, api, account):
    plant = given.measuring(api, given.number("mass"))
    with dashboard() as origin, site.server.again(cors_origins=(origin,)) as service:
        ticket = account.caller().post("/changes/issue_ticket", {}).expect(200).body["ticket"]
        page = site.browser.new_page()
        page.goto(origin)
        page.evaluate(FOLLOW, [service.address, ticket])
        event = given.event(api, plant, values={"mass": 1})
        page.wait_for_function("window.changes.length > 0")

        assert page.evaluate("window.changes")[0]["id"] == event["id"]
        page.close()
