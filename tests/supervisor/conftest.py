"""Services of two cells, as the tests of the database have them."""

from tests.db.conftest import first, northern, two_cells

__all__ = ["first", "northern", "two_cells"]
