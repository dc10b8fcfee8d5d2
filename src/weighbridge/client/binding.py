"""How an operation becomes a method: the function that makes a call, bound to the client that executes it.

The signature stays that of the function, for people, editors and type checkers alike. On a client for
programs that wait a method gives the result, on one for programs that await an awaitable of it.
"""

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any, Generic, ParamSpec, Protocol, TypeVar, overload

from weighbridge.client.calls import Call
from weighbridge.client.flows import AsyncTaskHandle, TaskHandle
from weighbridge.client.made.records import AsyncTask
from weighbridge.client.pages import AsyncPages, Listing, Pages

P = ParamSpec("P")
T = TypeVar("T")


class Waiting(Protocol):
    """What executes calls for programs that wait."""

    def carry(self, call: Call[T]) -> T:
        """Execute a call and give its result."""

    def list_pages(self, listing: Listing[T]) -> Pages[T]:
        """A list, page by page."""

    def start(self, call: Call[AsyncTask]) -> TaskHandle:
        """Start a task that can be waited for."""


class Awaiting(Protocol):
    """What executes calls for programs that await."""

    async def carry(self, call: Call[T]) -> T:
        """Execute a call and give its result."""

    def list_pages(self, listing: Listing[T]) -> AsyncPages[T]:
        """A list, page by page."""

    async def start(self, call: Call[AsyncTask]) -> AsyncTaskHandle:
        """Start a task that can be awaited."""


Carrier = TypeVar("Carrier", bound=Waiting | Awaiting)


class Group(Generic[Carrier]):
    """The operations on one kind of record."""

    def __init__(self, client: Carrier) -> None:
        self.client = client


class One(Generic[P, T]):
    """An operation that is answered at once."""

    def __init__(self, function: Callable[P, Call[T]]) -> None:
        self.function = function
        self.__doc__ = function.__doc__

    @overload
    def __get__(self, group: Group[Waiting], _owner: Any) -> Callable[P, T]: ...
    @overload
    def __get__(self, group: Group[Awaiting], _owner: Any) -> Callable[P, Awaitable[T]]: ...
    def __get__(self, group: Group[Any], _owner: Any) -> Callable[P, Any]:
        return _bound(self.function, group.client.carry)


class Listed(Generic[P, T]):
    """An operation that lists records, to be gone through with `for` or `async for`."""

    def __init__(self, function: Callable[P, Listing[T]]) -> None:
        self.function = function
        self.__doc__ = function.__doc__

    @overload
    def __get__(self, group: Group[Waiting], _owner: Any) -> Callable[P, Pages[T]]: ...
    @overload
    def __get__(self, group: Group[Awaiting], _owner: Any) -> Callable[P, AsyncPages[T]]: ...
    def __get__(self, group: Group[Any], _owner: Any) -> Callable[P, Any]:
        return _bound(self.function, group.client.list_pages)


class Started(Generic[P]):
    """An operation that starts a task."""

    def __init__(self, function: Callable[P, Call[AsyncTask]]) -> None:
        self.function = function
        self.__doc__ = function.__doc__

    @overload
    def __get__(self, group: Group[Waiting], _owner: Any) -> Callable[P, TaskHandle]: ...
    @overload
    def __get__(self, group: Group[Awaiting], _owner: Any) -> Callable[P, Awaitable[AsyncTaskHandle]]: ...
    def __get__(self, group: Group[Any], _owner: Any) -> Callable[P, Any]:
        return _bound(self.function, group.client.start)


def _bound(function: Callable[P, Any], execute: Callable[[Any], Any]) -> Callable[P, Any]:
    @wraps(function)
    def method(*args: P.args, **kwargs: P.kwargs) -> Any:
        return execute(function(*args, **kwargs))

    return method
