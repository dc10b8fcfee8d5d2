"""How long a delivery is tried, and what its signature is."""

from base64 import b64decode
from datetime import timedelta

import pytest

from weighbridge.core.platform.webhook import (
    DELIVERY_ATTEMPTS_MAX,
    PAUSES_SECONDS,
    compute_pause,
    is_taken,
    read_retry_after,
    sign_message,
    write_secret,
    write_signed_headers,
)

SECRET = b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
MESSAGE = "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, b'{"test": 2432232314}'
PUBLISHED = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_a_signature_is_the_one_that_the_specifications_libraries_publish():
    assert sign_message(SECRET, *MESSAGE) == PUBLISHED
    assert write_secret(SECRET) == "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


@pytest.mark.parametrize(
    "changed",
    [("msg_q", MESSAGE[1], MESSAGE[2]), (MESSAGE[0], 1, MESSAGE[2]), (MESSAGE[0], MESSAGE[1], b"{}")],
)
def test_a_signature_is_of_the_id_the_time_and_the_body(changed):
    assert sign_message(SECRET, *changed) != PUBLISHED


def test_every_secret_that_stands_signs():
    headers = write_signed_headers([b"n" * 32, SECRET], *MESSAGE)

    assert headers["webhook-signature"] == f"{sign_message(b'n' * 32, *MESSAGE)} {PUBLISHED}"
    assert (headers["webhook-id"], headers["webhook-timestamp"]) == (MESSAGE[0], "1614265330")


def test_a_delivery_is_tried_for_three_days():
    pauses = [compute_pause(attempts) for attempts in range(1, DELIVERY_ATTEMPTS_MAX)]

    assert pauses[:3] == [timedelta(seconds=5), timedelta(minutes=5), timedelta(minutes=30)]
    assert pauses == sorted(pauses)
    assert timedelta(days=3) < sum(pauses, timedelta()) < timedelta(days=3, hours=4)
    assert compute_pause(DELIVERY_ATTEMPTS_MAX) is None


def test_a_receiver_may_ask_for_a_longer_pause_and_for_no_longer_one_than_a_day():
    assert compute_pause(1, retry_after_seconds=60) == timedelta(minutes=1)
    assert compute_pause(4, retry_after_seconds=60) == timedelta(hours=2)
    assert compute_pause(1, retry_after_seconds=10**8) == timedelta(seconds=max(PAUSES_SECONDS))
    assert [read_retry_after(text) for text in ("120", None, "-1", "Sun", "1" * 10)] == [120, *[None] * 4]


def test_only_success_is_taken():
    taken = [status for status in (None, 100, 200, 204, 299, 301, 307, 404, 410, 500) if is_taken(status)]

    assert taken == [200, 204, 299]
