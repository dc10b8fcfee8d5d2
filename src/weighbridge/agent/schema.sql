-- Readings that the service does not have yet, in the order in which they came.
CREATE TABLE IF NOT EXISTS readings (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    reference  TEXT NOT NULL UNIQUE,
    digest     BLOB NOT NULL,
    event      BLOB NOT NULL,
    arrived_at INTEGER NOT NULL -- microseconds since 1970, by this machine's clock
) STRICT;

-- The names of the last readings that the service has: who reads them again need not send them again.
CREATE TABLE IF NOT EXISTS sent (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    reference TEXT NOT NULL UNIQUE,
    digest    BLOB NOT NULL
) STRICT;

-- What the service refused, and what could become no event: kept until a person decides.
CREATE TABLE IF NOT EXISTS refused (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    reference  TEXT NOT NULL,
    digest     BLOB NOT NULL,
    content    BLOB NOT NULL,
    is_event   INTEGER NOT NULL CHECK (is_event IN (0, 1)), -- whether it can be sent again
    reason     TEXT NOT NULL,
    refused_at INTEGER NOT NULL,
    UNIQUE (reference, digest)
) STRICT;

-- Up to which source time everything of a variable is here.
CREATE TABLE IF NOT EXISTS positions (
    source TEXT NOT NULL,
    node   TEXT NOT NULL,
    time   INTEGER NOT NULL, -- microseconds since 1970, by the source's clock
    PRIMARY KEY (source, node)
) STRICT, WITHOUT ROWID;

-- The last packets without a time of their own, by which one that is delivered again is known.
CREATE TABLE IF NOT EXISTS packets (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,
    source TEXT NOT NULL,
    number INTEGER NOT NULL,
    digest BLOB NOT NULL,
    UNIQUE (source, number)
) STRICT;

-- The mapping of the web app that is in force, as the service sent it.
CREATE TABLE IF NOT EXISTS mapping (
    id      INTEGER PRIMARY KEY CHECK (id = 1),
    content BLOB NOT NULL -- JSON
) STRICT;

-- Variables whose readings have belonged elsewhere, or nowhere, up to a time: what is known of before stays there.
CREATE TABLE IF NOT EXISTS remapped (
    variable TEXT PRIMARY KEY, -- source/node
    until    INTEGER NOT NULL  -- microseconds since 1970, by this machine's clock
) STRICT, WITHOUT ROWID;

-- How the agent fares, for whoever asks.
CREATE TABLE IF NOT EXISTS facts (
    name TEXT PRIMARY KEY,
    fact TEXT NOT NULL, -- JSON
    at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
