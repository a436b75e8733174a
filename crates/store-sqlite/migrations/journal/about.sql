-- What the journal says about itself. Older builds ignore both tables.
CREATE TABLE about (
    name  TEXT PRIMARY KEY,
    value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- Events that could not be read, and where the journal ended when that was noticed.
CREATE TABLE damage (
    seq     INTEGER PRIMARY KEY,
    kind    INTEGER NOT NULL,
    ask     BLOB,
    noticed INTEGER NOT NULL,
    what    TEXT NOT NULL
) STRICT;
