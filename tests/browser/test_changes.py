"""Pages follow changes by `EventSource`, as the how-to says: of another origin, and of the service's own."""

import http.server
import re
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

from tests.browser.site import site_of
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


GUIDE = Path(__file__).parents[2] / "docs/howto/follow-changes.md"
PRINTED = re.findall(r"```js\n(.*?)```", GUIDE.read_text(), re.DOTALL)[0]


def wait_until(page, condition, argument=None):
    """Ask again and again from outside: a page whose policy forbids `eval` cannot ask itself."""
    for _ in range(200):
        if page.evaluate(condition, argument):
            return
        page.wait_for_timeout(50)
    raise AssertionError(condition)


def test_the_printed_function_continues_with_another_ticket(site, api, account):
    plant = given.measuring(api, given.number("mass"))
    asked = []

    def fetch_ticket():
        asked.append(1)
        body = {"expires_in_seconds": 60}
        return account.caller().post("/changes/issue_ticket", body).expect(200).body["ticket"]

    with site_of(site, account).at(f"/projects/{plant['id']}/events") as page:
        page.expose_function("fetchTicket", fetch_ticket)
        page.evaluate(
            """async (printed) => {
            window.changes = []
            window.sources = []
            window.EventSource = class extends EventSource {
                constructor(...given) { super(...given); window.sources.push(this) }
            }
            const follow = new Function(`${printed}; return follow`)()
            await follow('/api/v1/changes', fetchTicket, (change) => window.changes.push(change.id))
        }""",
            PRINTED,
        )
        wait_until(page, "() => sources[0].readyState === EventSource.OPEN")
        first = given.event(api, plant, values={"mass": 1})
        wait_until(page, "(id) => changes.includes(id)", first["id"])

        page.evaluate("sources[0].dispatchEvent(new MessageEvent('end'))")
        second = given.event(api, plant, values={"mass": 2})

        wait_until(page, "(id) => changes.includes(id)", second["id"])
        assert page.evaluate("changes").count(first["id"]) == 1
        assert len(asked) == 2
        assert "&after=" in page.evaluate("sources[1].url")
