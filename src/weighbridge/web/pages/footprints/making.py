"""The form that makes a footprint, from a batch or from an accepted report."""

from weighbridge.footprints.footprint_products import list_footprint_products
from weighbridge.footprints.footprints import create_footprint
from weighbridge.reporting.reports import list_reports
from weighbridge.web.framework.page import form, page
from weighbridge.web.framework.visit import Redirect, View, Visit, view

OFFERED = "200"
"""Products and reports that the form offers."""


async def new_footprint(visit: Visit) -> View:
    """The form of a footprint: the product, and what it is made from."""
    products = (await visit.ask(list_footprint_products, (("page_size", OFFERED),))).data
    query = [("filter[status]", "complete"), ("sort", "-id"), ("page_size", OFFERED)]
    if visit.frame.project:
        query.append(("filter[project_id]", visit.frame.project.id))
    reports = (await visit.ask(list_reports, tuple(query))).data
    path = visit.url("footprints")
    return view(
        "footprints/new.html", "New footprint",
        call="/footprints", method="POST", crumbs=(("Footprints", path),), products=products, reports=reports,
        path=path, new_product=visit.url("footprint_products/new"),
    )  # fmt: skip


@form("/footprints/new", permission="production_accounting:write", error_page=new_footprint, everywhere=True)
async def make_footprint(visit: Visit) -> Redirect:
    """Make a footprint; the page shows it with what is wrong with it."""
    product = visit.text("product_id")
    fields = {
        name: text for name in ("batch_id", "report_id", "comment") if (text := visit.text(name).strip())
    }
    body = {"footprint": {"product_id": int(product) if product.isdecimal() else 0, **fields}}
    made = await visit.do(create_footprint, body)
    return Redirect(visit.url(f"footprints/{made.id}"), "Footprint created.")


PAGES = [
    *page("/footprints/new", permission="production_accounting:write", everywhere=True)(new_footprint),
    *make_footprint,
]
