"""How an operation becomes a method: the function that makes a call, bound to the client that carries it out.

The signature stays that of the function, for people, editors and type checkers alike.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Generic, ParamSpec, Protocol, TypeVar

from weighbridge.client.calls import Call
from weighbridge.client.flows import AsyncTaskHandle, TaskHandle
from weighbridge.client.made.records import AsyncTask
from weighbridge.client.pages import AsyncPages, Listing, Pages

P = ParamSpec("P")
T = TypeVar("T")


class Waiting(Protocol):
    """What carries out calls for programs that wait."""

    def carry(self, call: Call[T]) -> T:
        """What the call comes to."""

    def task(self, task: AsyncTask | int) -> TaskHandle:
        """A task that can be waited for."""


class Awaiting(Protocol):
    """What carries out calls for programs that await."""

    async def carry(self, call: Call[T]) -> T:
        """What the call comes to."""

    def task(self, task: AsyncTask | int) -> AsyncTaskHandle:
        """A task that can be awaited."""


class Group:
    """The operations on one kind of record."""

    def __init__(self, client: Waiting) -> None:
        self.client = client


class AsyncGroup:
    """The operations on one kind of record, to be awaited."""

    def __init__(self, client: Awaiting) -> None:
        self.client = client


class One(Generic[P, T]):
    """An operation that is answered at once."""

    def __init__(self, function: Callable[P, Call[T]]) -> None:
        self.function = function
        self.__doc__ = function.__doc__

    def __get__(self, group: Group, _owner: Any) -> Callable[P, T]:
        def method(*args: P.args, **kwargs: P.kwargs) -> T:
            return group.client.carry(self.function(*args, **kwargs))

        method.__doc__ = self.function.__doc__
        return method


class Listed(Generic[P, T]):
    """An operation that lists records."""

    def __init__(self, function: Callable[P, Listing[T]]) -> None:
        self.function = function
        self.__doc__ = function.__doc__

    def __get__(self, group: Group, _owner: Any) -> Callable[P, Pages[T]]:
        def method(*args: P.args, **kwargs: P.kwargs) -> Pages[T]:
            return Pages(group.client.carry, self.function(*args, **kwargs))

        method.__doc__ = self.function.__doc__
        return method


class Started(Generic[P]):
    """An operation that starts a task."""

    def __init__(self, function: Callable[P, Call[AsyncTask]]) -> None:
        self.function = function
        self.__doc__ = function.__doc__

    def __get__(self, group: Group, _owner: Any) -> Callable[P, TaskHandle]:
        def method(*args: P.args, **kwargs: P.kwargs) -> TaskHandle:
            task: AsyncTask = group.client.carry(self.function(*args, **kwargs))
            return group.client.task(task)

        method.__doc__ = self.function.__doc__
        return method


class AsyncOne(Generic[P, T]):
    """An operation that is answered at once, to be awaited."""

    def __init__(self, function: Callable[P, Call[T]]) -> None:
        self.function = function
        self.__doc__ = function.__doc__

    def __get__(self, group: AsyncGroup, _owner: Any) -> Callable[P, Awaitable[T]]:
        async def method(*args: P.args, **kwargs: P.kwargs) -> T:
            return await group.client.carry(self.function(*args, **kwargs))

        method.__doc__ = self.function.__doc__
        return method


class AsyncListed(Generic[P, T]):
    """An operation that lists records, to be gone through with `async for`."""

    def __init__(self, function: Callable[P, Listing[T]]) -> None:
        self.function = function
        self.__doc__ = function.__doc__

    def __get__(self, group: AsyncGroup, _owner: Any) -> Callable[P, AsyncPages[T]]:
        def method(*args: P.args, **kwargs: P.kwargs) -> AsyncPages[T]:
            return AsyncPages(group.client.carry, self.function(*args, **kwargs))

        method.__doc__ = self.function.__doc__
        return method


class AsyncStarted(Generic[P]):
    """An operation that starts a task, to be awaited."""

    def __init__(self, function: Callable[P, Call[AsyncTask]]) -> None:
        self.function = function
        self.__doc__ = function.__doc__

    def __get__(self, group: AsyncGroup, _owner: Any) -> Callable[P, Awaitable[AsyncTaskHandle]]:
        async def method(*args: P.args, **kwargs: P.kwargs) -> AsyncTaskHandle:
            task: AsyncTask = await group.client.carry(self.function(*args, **kwargs))
            return group.client.task(task)

        method.__doc__ = self.function.__doc__
        return method
