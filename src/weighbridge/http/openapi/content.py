"""Files of the package as answers: a browser keeps them under a tag, and asks whether they still hold."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from litestar import Response

from weighbridge.http.caller import WebRequest

REVALIDATED: Final = {"Cache-Control": "no-cache"}
KEPT: Final = {"Cache-Control": "public, max-age=3600"}


@dataclass(frozen=True, slots=True)
class PageContent:
    """Bytes that never change while the process lives, with the tag that a browser keeps them under."""

    data: bytes
    media_type: str
    tag: str


def content_of(data: bytes, media_type: str) -> PageContent:
    """The bytes with their tag."""
    return PageContent(data, media_type, f'"{hashlib.sha256(data).hexdigest()[:32]}"')


def answered(request: WebRequest, content: PageContent, headers: Mapping[str, str]) -> Response[bytes]:
    """Send the content, or only that the browser's copy is still the same."""
    headers = {**headers, "ETag": content.tag, "X-Content-Type-Options": "nosniff"}
    is_known = content.tag in request.headers.get("if-none-match", "")
    return Response(
        b"" if is_known else content.data,
        status_code=304 if is_known else 200,
        media_type=content.media_type,
        headers=headers,
    )
