"""A connection that is kept between requests: a service closes it when nothing comes for some seconds."""

import select
from http.client import HTTPConnection


def reopened(connection: HTTPConnection) -> HTTPConnection:
    """The connection, closed on this side too where the service has closed it; the next request opens it.

    Nothing of a request is lost by that, for none was sent. A socket that can be read between two requests
    was closed, or has an answer that nobody asked for.
    """
    if connection.sock is not None and select.select([connection.sock], [], [], 0)[0]:
        connection.close()
    return connection
