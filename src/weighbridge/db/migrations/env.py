"""Alembic's entry: run the steps on the connection that `weighbridge.db.schema` opened."""

from alembic import context

context.configure(
    connection=context.config.attributes["connection"],
    transaction_per_migration=True,
    on_version_apply=context.config.attributes.get("heard"),
)
with context.begin_transaction():
    context.run_migrations()
