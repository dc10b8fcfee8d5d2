"""PostgreSQL: the embedded server, connections, transactions, migrations, filters and paging."""
