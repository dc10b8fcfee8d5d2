"""Friendly ids that PostgreSQL writes are those that the service writes."""

from hypothesis import given, settings
from hypothesis import strategies as st

from weighbridge.core import identity
from weighbridge.exchange.export.selected_tables import friendly_id


@settings(max_examples=50, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(1, 2**31 - 1), st.integers(0, identity.KEY_MAX), st.integers(0, identity.POSITION_MAX)
        ),
        min_size=1,
        max_size=200,
    )
)
def test_the_database_writes_the_id_of_any_record_as_the_service_does(server, keys):
    for owner in identity.Owner:
        written = friendly_id("data_point", "k.project", "k.key", "k.position", owner)
        projects, numbers, positions = (list(part) for part in zip(*keys, strict=True))
        rows = server.sql(
            f"SELECT {written} FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[])"
            " WITH ORDINALITY AS k (project, key, position, place) ORDER BY place",
            projects,
            numbers,
            positions,
        )
        assert [one for (one,) in rows] == [identity.of("data_point", *key, owner) for key in keys]


def test_no_number_has_no_id(server):
    assert server.sql(f"SELECT {friendly_id('asset', '7', 'NULL::integer')}") == [(None,)]
