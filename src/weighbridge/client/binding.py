"""How an operation becomes a method: the function that makes a call, bound to the client that executes it.

The signature stays that of the function, for people, editors and type checkers alike. On a client for
programs that wait a method gives the result, on one for programs that await an awaitable of it.
"""

from collections.abc import Awaitable, Callable
from functools import wraps
from inspect import Signature, iscoroutinefunction, signature
from typing import Any, Generic, ParamSpec, Protocol, TypeVar, get_args, overload

from weighbridge.client.calls import Call
from weighbridge.client.flows import AsyncTaskHandle, TaskHandle
from weighbridge.client.made.records import AsyncTask
from weighbridge.client.pages import Listing
from weighbridge.client.walking import AsyncPages, Pages

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


class Bound(Generic[P]):
    """An operation as an attribute of a group: on a client it executes the call that the function makes."""

    def __init__(self, function: Callable[P, Any]) -> None:
        self.function = function
        self.name = function.__name__
        self.__doc__ = function.__doc__
        self._signatures: dict[bool, Signature] = {}

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = f"{owner.__name__}.{name}"

    def bind(self, group: Group[Any] | None, execute: str) -> Callable[P, Any]:
        """The method of a group; of the class, which has no client, the function itself."""
        if group is None:
            return self.function
        function, run = self.function, getattr(group.client, execute)

        @wraps(function)
        def method(*args: P.args, **kwargs: P.kwargs) -> Any:
            return run(function(*args, **kwargs))

        method.__name__ = self.name.rpartition(".")[2]
        method.__qualname__ = self.name
        method.__signature__ = self._signature(iscoroutinefunction(group.client.carry))  # type: ignore[attr-defined]
        return method

    def _signature(self, awaits: bool) -> Signature:  # noqa: FBT001 - one of two clients
        """The function's own arguments, and what the method gives, for people who ask for help."""
        if awaits not in self._signatures:
            made = signature(self.function)
            given = self.gives(made.return_annotation, awaits)
            self._signatures[awaits] = made.replace(return_annotation=given)
        return self._signatures[awaits]

    def gives(self, made: Any, awaits: bool) -> Any:  # noqa: FBT001
        """What the method gives, of the type of call that the function makes."""
        [result] = get_args(made)
        return Awaitable[result] if awaits else result  # type: ignore[valid-type]


class One(Bound[P], Generic[P, T]):
    """An operation that is answered at once."""

    def __init__(self, function: Callable[P, Call[T]]) -> None:
        super().__init__(function)

    @overload
    def __get__(self, group: Group[Waiting], _owner: Any) -> Callable[P, T]: ...
    @overload
    def __get__(self, group: Group[Awaiting], _owner: Any) -> Callable[P, Awaitable[T]]: ...
    def __get__(self, group: Group[Any], _owner: Any) -> Callable[P, Any]:
        return self.bind(group, "carry")


class Listed(Bound[P], Generic[P, T]):
    """An operation that lists records, to be gone through with `for` or `async for`."""

    def __init__(self, function: Callable[P, Listing[T]]) -> None:
        super().__init__(function)

    @overload
    def __get__(self, group: Group[Waiting], _owner: Any) -> Callable[P, Pages[T]]: ...
    @overload
    def __get__(self, group: Group[Awaiting], _owner: Any) -> Callable[P, AsyncPages[T]]: ...
    def __get__(self, group: Group[Any], _owner: Any) -> Callable[P, Any]:
        return self.bind(group, "list_pages")

    def gives(self, made: Any, awaits: bool) -> Any:  # noqa: FBT001
        [record] = get_args(made)
        return AsyncPages[record] if awaits else Pages[record]  # type: ignore[valid-type]


class Started(Bound[P]):
    """An operation that starts a task."""

    def __init__(self, function: Callable[P, Call[AsyncTask]]) -> None:
        super().__init__(function)

    @overload
    def __get__(self, group: Group[Waiting], _owner: Any) -> Callable[P, TaskHandle]: ...
    @overload
    def __get__(self, group: Group[Awaiting], _owner: Any) -> Callable[P, Awaitable[AsyncTaskHandle]]: ...
    def __get__(self, group: Group[Any], _owner: Any) -> Callable[P, Any]:
        return self.bind(group, "start")

    def gives(self, made: Any, awaits: bool) -> Any:  # noqa: ARG002, FBT001
        return Awaitable[AsyncTaskHandle] if awaits else TaskHandle
