"""Saved views of lists: the links above a list, the view that opens by itself, and the forms that keep them.

A list calls `open_default_view` before and `read_views` after it was read, and `ask_list` in place of
`visit.ask`: a view may ask for what no longer exists, and the list is then shown without it and says so.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

from weighbridge.core.problem import Problem
from weighbridge.errors import Invalid, Malformed, NotFound
from weighbridge.http.messages.operation import Endpoint
from weighbridge.platform.records import LISTS_WITH_VIEWS, SavedView
from weighbridge.platform.saved_views import (
    SAVED_VIEWS_OF_USER_MAX,
    create_saved_view,
    delete_saved_view,
    get_saved_view,
    list_saved_views,
    update_saved_view,
)
from weighbridge.web.framework.columns import VIEW, join_columns
from weighbridge.web.framework.listing import ListQuery
from weighbridge.web.framework.page import IN_PROJECT, form, page
from weighbridge.web.framework.visit import Redirect, View, Visit, view

NO_VIEW: Final = "all"
"""The value of `view` by which a list opens without its default."""

_OF_PAGE: Final = frozenset({VIEW, "cursor", "page", "page_size"})
"""Parameters that are no part of a view."""


def write_query(query: ListQuery) -> str:
    """Return the query of a view: filters, order, columns and group, as in a URL."""
    pairs = [pair for pair in join_columns(query) if pair[0] not in _OF_PAGE and pair[1].strip()]
    return urlencode(pairs, safe=",[]")


def view_url(path: str, saved_view: SavedView) -> str:
    """Return the URL of a list with a saved view."""
    pairs = [pair for pair in parse_qsl(saved_view.query) if pair[0] not in _OF_PAGE]
    return f"{path}?{urlencode([*pairs, (VIEW, str(saved_view.id))], safe=',[]')}"


@dataclass(frozen=True, slots=True)
class ListViews:
    """The saved views of a list, and the query that can be saved as another one."""

    list_name: str
    path: str
    views: Sequence[SavedView]
    current: SavedView | None
    query: str
    has_views: bool = True

    @property
    def is_changed(self) -> bool:
        """Whether the list shows something else than the view that it was opened by."""
        return self.current is not None and {*parse_qsl(self.current.query)} != {*parse_qsl(self.query)}

    @property
    def without_view(self) -> str:
        """The URL of the list without a view, also where one is the default."""
        return f"{self.path}?{VIEW}={NO_VIEW}"

    def url(self, saved_view: SavedView) -> str:
        """Return the URL of the list with a view."""
        return view_url(self.path, saved_view)


async def open_default_view(visit: Visit, of_list: str, path: str) -> Redirect | None:
    """Redirect to the default view of a list whose URL has no query; None without one."""
    if visit.query or visit.is_partial or of_list not in LISTS_WITH_VIEWS:
        return None
    views = await _list_views(visit, of_list)
    default = next((saved_view for saved_view in views if saved_view.is_default), None)
    return Redirect(view_url(path, default)) if default is not None else None


async def read_views(visit: Visit, of_list: str, path: str) -> ListViews:
    """Return the saved views of a list."""
    query = write_query(visit.query)
    if of_list not in LISTS_WITH_VIEWS:
        return ListViews(of_list, path, (), None, query, has_views=False)
    views = await _list_views(visit, of_list)
    current = next((one for one in views if str(one.id) == visit.asked(VIEW)), None)
    return ListViews(of_list, path, views, current, query)


async def _list_views(visit: Visit, of_list: str) -> Sequence[SavedView]:
    """All views that the person has of a list, by name."""
    asked = (
        ("filter[list_name]", of_list),
        ("page_size", str(SAVED_VIEWS_OF_USER_MAX)),
        ("sort", "name"),
    )
    views: Sequence[SavedView] = (await visit.ask(list_saved_views, asked)).data
    return views


async def ask_list(visit: Visit, endpoint: Endpoint, query: ListQuery) -> tuple[Any, list[str]]:
    """Read a list; of a saved view without what no longer exists, and with sentences on that."""
    try:
        return await visit.ask(endpoint, query), []
    except (Malformed, Invalid, NotFound) as refusal:
        if not visit.asked(VIEW):
            raise
        wrong = {problem.field for problem in refusal.problems}
        kept = tuple(pair for pair in query if pair[0] not in wrong and pair[0] != "cursor")
        if not wrong & {name for name, _ in query}:
            kept = tuple(pair for pair in query if not pair[0].startswith("filter"))
        said = " ".join(_sentence(problem) for problem in refusal.problems)
        remark = f"The list is shown without a part of this view, which no longer exists: {said}"
        return await visit.ask(endpoint, kept), [remark]


def _sentence(problem: Problem) -> str:
    text = problem.message.rstrip(".")
    return f"{text[:1].upper()}{text[1:]}."


# The forms: save a view, change it, delete it.


PATH: Final = f"{IN_PROJECT}/saved_views"
ONE: Final = PATH + "/{saved_view_id}"


async def new_view(visit: Visit) -> View:
    """A form with the name of a view that is to be saved."""
    of_list = visit.text("list") or visit.asked("list")
    query = visit.text("query") or visit.asked("query")
    return view(
        "records/view_form.html", "Save view", call="/saved_views", method="POST",
        of_list=of_list, query=query, saved=None, name=visit.text("name"),
        is_default=bool(visit.text("is_default")), back=_list_url(visit, of_list, query),
    )  # fmt: skip


@form(PATH, error_page=new_view)
async def save_view(visit: Visit) -> Redirect:
    """Save the query of a list under a name."""
    made = await visit.do(create_saved_view, {"saved_view": {
        "list_name": visit.text("list"), "name": visit.text("name"), "query": visit.text("query"),
        "is_default": bool(visit.text("is_default")),
    }})  # fmt: skip
    return Redirect(view_url(visit.url(made.list_name), made), f"View {made.name} saved.")


async def edit_view(visit: Visit) -> View:
    """A form with the name of a saved view, and whether it is the default."""
    saved = await visit.ask(get_saved_view)
    typed = bool(visit.typed)
    return view(
        "records/view_form.html", "Edit view", call=f"/saved_views/{saved.id}", method="PATCH",
        of_list=saved.list_name, query=saved.query, saved=saved,
        name=visit.text("name") if typed else saved.name,
        is_default=bool(visit.text("is_default")) if typed else saved.is_default,
        back=view_url(visit.url(saved.list_name), saved),
    )  # fmt: skip


@form(f"{ONE}/edit", error_page=edit_view)
async def change_view(visit: Visit) -> Redirect:
    """Rename a saved view, and say whether it is the default."""
    change = {"name": visit.text("name"), "is_default": bool(visit.text("is_default"))}
    saved = await visit.do(update_saved_view, {"saved_view": change})
    return Redirect(view_url(visit.url(saved.list_name), saved), f"View {saved.name} saved.")


@form(f"{ONE}/query", error_page=edit_view)
async def change_query(visit: Visit) -> Redirect:
    """Save what a list shows now as the view that it was opened by."""
    saved = await visit.do(update_saved_view, {"saved_view": {"query": visit.text("query")}})
    return Redirect(view_url(visit.url(saved.list_name), saved), f"View {saved.name} saved.")


@form(f"{ONE}/delete", error_page=edit_view)
async def remove_view(visit: Visit) -> Redirect:
    """Delete a saved view, and show its list without it."""
    saved = await visit.ask(get_saved_view)
    await visit.do(delete_saved_view)
    return Redirect(f"{visit.url(saved.list_name)}?{VIEW}={NO_VIEW}", f"View {saved.name} deleted.")


def _list_url(visit: Visit, of_list: str, query: str) -> str:
    if of_list not in LISTS_WITH_VIEWS:
        return visit.frame.home
    pairs = [*parse_qsl(query), (VIEW, NO_VIEW)]
    return f"{visit.url(of_list)}?{urlencode(pairs, safe=',[]')}"


PAGES = [
    *page(f"{PATH}/new")(new_view),
    *save_view,
    *page(f"{ONE}/edit")(edit_view),
    *change_view,
    *change_query,
    *remove_view,
]
