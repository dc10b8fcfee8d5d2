"""One test for all cases of an operation, a list or a page: each is tried, and all that fail are told.

A test of its own for each of thousands of cases takes longer to collect, to set up and to report to the other
end of a run than the one request that most of them send. What such a test starts from must serve all cases:
fixtures of a module or a session, or such as keep nothing.
"""

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

Test = Callable[..., None]


def tried_together(
    names: str | Sequence[str], cases: Iterable[Any], *, under: Callable[[Any], object] | None = None
) -> Callable[[Test], Test]:
    """Like `pytest.mark.parametrize`, with one test for all cases whose first value is the same.

    `under` gives the name under which a case is tried with others, where that is not its first value.
    """
    parameters = [names] if isinstance(names, str) else [*names]
    groups: dict[str, list[dict[str, Any]]] = {}
    for case in cases:
        values = (case,) if isinstance(names, str) else tuple(case)
        name = str(values[0] if under is None else under(case))
        groups.setdefault(name, []).append(dict(zip(parameters, values, strict=True)))

    def decorate(test: Test) -> Test:
        def try_cases(cases: list[dict[str, Any]], **fixtures: Any) -> None:
            failed = [error for case in cases if (error := _failure_of(test, case, fixtures)) is not None]
            if failed:
                raise BaseExceptionGroup(f"{len(failed)} of {len(cases)} cases failed", failed)

        fixtures = [one for one in inspect.signature(test).parameters if one not in parameters]
        wanted = [inspect.Parameter(one, inspect.Parameter.KEYWORD_ONLY) for one in ("cases", *fixtures)]
        try_cases.__dict__.update(vars(test))
        try_cases.__signature__ = inspect.Signature(wanted)  # type: ignore[attr-defined]
        for name in ("__name__", "__qualname__", "__module__", "__doc__"):
            setattr(try_cases, name, getattr(test, name))
        return pytest.mark.parametrize("cases", list(groups.values()), ids=list(groups))(try_cases)

    return decorate


def _failure_of(test: Test, case: dict[str, Any], fixtures: dict[str, Any]) -> BaseException | None:
    """What a case fails with, naming the case; None where it does not."""
    try:
        test(**fixtures, **case)
    except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - it is raised with the others
        error.add_note(f"in the case {', '.join(f'{name}={value!r}' for name, value in case.items())}")
        return error
    return None
