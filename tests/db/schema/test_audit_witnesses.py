"""Revoked keys stay revoked, and nothing is stored as a cosignature that cannot be one."""

import psycopg
import pytest
from psycopg.errors import (
    CheckViolation,
    ForeignKeyViolation,
    NotNullViolation,
    RestrictViolation,
    UniqueViolation,
)
from tests import databases

KEY = "decode(repeat('00', 32), 'hex')"
REVOKED = (
    f"INSERT INTO audit_keys (public_key) VALUES ({KEY}); INSERT INTO audit_key_revocations VALUES ({KEY});"
)
ACCOUNT = "INSERT INTO accounts (name) VALUES ('plant');"
COSIGNED = ACCOUNT + "INSERT INTO audit_cosignatures SELECT id, {}, {}, {}, {} FROM accounts;"
SIGNATURE = "decode(repeat('00', 64), 'hex')"
ASKED = ACCOUNT + "INSERT INTO audit_witnesses (account_id, witness, {}) SELECT id, 'w', {} FROM accounts;"
REFUSED = {
    "the revocation of a key that there is not": (
        f"INSERT INTO audit_key_revocations VALUES ({KEY})", ForeignKeyViolation
    ),
    "a revocation that is taken back": (REVOKED + "DELETE FROM audit_key_revocations", RestrictViolation),
    "a revocation at another time": (
        REVOKED + "UPDATE audit_key_revocations SET revoked_at = now()", RestrictViolation
    ),
    "a cosignature of a head without rows": (COSIGNED.format(0, "'w'", 1, SIGNATURE), CheckViolation),
    "a cosignature of nobody": (COSIGNED.format(1, "''", 1, SIGNATURE), CheckViolation),
    "a cosignature without a time": (COSIGNED.format(1, "'w'", 0, SIGNATURE), CheckViolation),
    "a cosignature that is too short": (COSIGNED.format(1, "'w'", 1, KEY), CheckViolation),
    "no cosignature": (COSIGNED.format(1, "'w'", 1, "NULL"), NotNullViolation),
    "two of one witness on one head": (
        COSIGNED.format(1, "'w'", 1, SIGNATURE) + COSIGNED.format(1, "'w'", 2, SIGNATURE)[len(ACCOUNT) :],
        UniqueViolation,
    ),
    "a failure without its time": (ASKED.format("failure", "'down'"), CheckViolation),
    "a time without a failure": (ASKED.format("failing_since", "now()"), CheckViolation),
    "a size below none": (ASKED.format("size", "-1"), CheckViolation),
}  # fmt: skip


@pytest.fixture
def fresh(postgres, newest):
    with databases.database(postgres, newest) as url:
        yield url


@pytest.mark.parametrize(("statements", "error"), REFUSED.values(), ids=REFUSED.keys())
def test_the_database_refuses(fresh, statements, error):
    with psycopg.connect(fresh) as connection, pytest.raises(error):
        connection.execute(statements)
