"""A file as evidence of an event, in the form that the interface takes it."""

from uuid import uuid4

from weighbridge.client.call import PREFIX, Call
from weighbridge.client.made.records import Evidence


def attaching(event_id: str, name: str, content: bytes, key: str | None) -> Call[Evidence]:
    """The call that attaches a file, as a form with one part."""
    boundary = uuid4().hex
    quoted = name.replace("\\", "\\\\").replace('"', '\\"')
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{quoted}"\r\n'
        "Content-Type: application/octet-stream\r\n\r\n"
    )
    return Call(
        "POST",
        f"{PREFIX}/events/{event_id}/evidence",
        Evidence,
        body=head.encode() + content + f"\r\n--{boundary}--\r\n".encode(),
        content_type=f"multipart/form-data; boundary={boundary}",
        takes_key=True,
        key=key,
    )
