"""Runs a Canaille with people and a client, and does with them what lines of its standard input say.

It is started with the Python of an environment in which Canaille is installed, and not by that of the tests:
    python canaille_process.py PORT REDIRECT_URI
"""

# ruff: noqa: PLC0415, T201, S106 - what it imports is there in another environment; it prints answers

import datetime as dt
import json
import logging
import sys
import threading
from typing import Any

PASSWORD = "correct horse battery staple"  # noqa: S105 - of no real person
CLIENT = "weighbridge"
SECRET = "word-of-canaille-for-weighbridge"  # noqa: S105 - of no real client


def make_app(port: int) -> Any:
    from canaille import create_app
    from joserfc.jwk import RSAKey

    key = RSAKey.generate_key(2048, {"kid": "first", "alg": "RS256", "use": "sig"})
    app = create_app({
        "SECRET_KEY": "a secret of the tests",
        "SERVER_NAME": f"127.0.0.1:{port}",
        "PREFERRED_URL_SCHEME": "http",
        "CANAILLE": {"DATABASE": "memory", "CAPTCHA_ENABLED": False, "JAVASCRIPT": False, "HTMX": False},
        "CANAILLE_OIDC": {"ACTIVE_JWKS": [key.as_dict(private=True)]},
    })  # fmt: skip
    # Its settings know no such claim, but what makes its claims does.
    says = "{% if 'unverified' not in user.user_name %}true{% endif %}"
    app.config["CANAILLE_OIDC"]["USERINFO_MAPPING"]["EMAIL_VERIFIED"] = says
    return app


def add_person(models: Any, backend: Any, name: str, email: str) -> Any:
    person = models.User(
        formatted_name=name, family_name=name, user_name=name, emails=[email], password=PASSWORD
    )
    backend.save(person)
    return person


def serve(port: int) -> None:
    from werkzeug.serving import make_server

    logging.disable(logging.CRITICAL)
    app = make_app(port)
    server = make_server("127.0.0.1", port, app, threaded=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        with app.app_context():
            answer = do(asked)
        print(json.dumps({"done": answer}), flush=True)
    server.shutdown()


def do(asked: dict[str, Any]) -> Any:
    from canaille.app import models
    from canaille.backends import Backend

    backend = Backend.instance
    if asked["do"] == "client":
        now = dt.datetime.now(dt.UTC)
        client = models.Client(
            client_id=asked["id"], client_secret=asked["secret"], client_id_issued_at=now,
            client_name="Weighbridge", client_uri="http://127.0.0.1", redirect_uris=[asked["redirect_uri"]],
            grant_types=["authorization_code", "refresh_token"], response_types=["code"],
            scope=["openid", "email", "profile", "groups"],
            token_endpoint_auth_method="client_secret_basic",
        )  # fmt: skip
        backend.save(client)
        client.audience = [client]
        backend.save(client)
        return None
    if asked["do"] == "add":
        person = add_person(models, backend, asked["name"], asked["email"])
    else:
        person = backend.get(models.User, user_name=asked["name"])
    if asked["do"] == "lock":
        person.lock_date = dt.datetime.now(dt.UTC) - dt.timedelta(hours=1)
        backend.save(person)
        return None
    groups = []
    for name in asked.get("groups", ()):
        group = backend.get(models.Group, display_name=name)
        if group is None:
            group = models.Group(display_name=name, members=[person])
        elif person not in group.members:
            group.members = [*group.members, person]
        backend.save(group)
        groups.append(group)
    for group in backend.query(models.Group):
        if group not in groups and person in group.members:
            group.members = [one for one in group.members if one != person]
            backend.save(group)
    return [group.display_name for group in groups]


if __name__ == "__main__":
    serve(int(sys.argv[1]))
