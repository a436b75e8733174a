-- 'SAYS' as a number: tells our journal from any other database.
PRAGMA application_id = 1396791635;

-- What is chained. A row is never changed and never removed.
CREATE TABLE header (
    seq        INTEGER PRIMARY KEY,
    format     INTEGER NOT NULL,
    writer     INTEGER NOT NULL,
    writer_seq INTEGER NOT NULL,
    prev       BLOB    NOT NULL,
    kind       INTEGER NOT NULL,
    ask        BLOB,
    at         INTEGER NOT NULL,
    body_hash  BLOB    NOT NULL
) STRICT;

-- What can be erased.
CREATE TABLE body (
    seq  INTEGER PRIMARY KEY,
    body BLOB NOT NULL
) STRICT;

-- Secrets, until their asker has them.
CREATE TABLE sealed (
    opened INTEGER NOT NULL,
    seq    INTEGER NOT NULL,
    gap    INTEGER NOT NULL,
    bytes  BLOB    NOT NULL,
    PRIMARY KEY (opened, seq, gap)
) STRICT, WITHOUT ROWID;
