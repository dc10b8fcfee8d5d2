"""What the page on webhooks shows is what a receiver does with what the service sends."""

import json
import re
from pathlib import Path

import pytest

from weighbridge.core.platform.webhook import write_secret, write_signed_headers

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "receive-webhooks.md"
SECRET = b"s" * 32
MOMENT = 1_700_000_000


@pytest.fixture(scope="module")
def message():
    """The function of the page."""
    [code] = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    names = {}
    exec(code, names)  # noqa: S102 - what a reader copies
    names["time"] = type("time", (), {"time": staticmethod(lambda: MOMENT + 10)})
    return names["message"]


@pytest.fixture(scope="module")
def content():
    [_, example] = re.findall(r"```(?:json)\n(.*?)```", "```json\n{}```" + PAGE.read_text(), re.DOTALL)
    return example.encode()


def test_a_message_of_the_service_is_taken(message, content):
    headers = write_signed_headers([b"n" * 32, SECRET], "dlv_1", MOMENT, content)

    assert message(write_secret(SECRET), headers, content) == json.loads(content)


@pytest.mark.parametrize(
    ("name", "text"),
    [("webhook-id", "dlv_2"), ("webhook-timestamp", str(MOMENT - 600)), ("webhook-signature", "v1,AAAA")],
)
def test_any_other_is_refused(message, content, name, text):
    headers = {**write_signed_headers([SECRET], "dlv_1", MOMENT, content), name: text}

    with pytest.raises(ValueError, match="not signed"):
        message(write_secret(SECRET), headers, content)


def test_a_message_that_is_repeated_too_late_is_refused(message, content):
    headers = write_signed_headers([SECRET], "dlv_1", MOMENT - 600, content)

    with pytest.raises(ValueError, match="too old"):
        message(write_secret(SECRET), headers, content)
