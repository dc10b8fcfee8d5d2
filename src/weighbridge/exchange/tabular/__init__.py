"""Tables in files: rows, cells, columns, and the clock that dates them."""
