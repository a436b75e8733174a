-- What the journal says about itself, in one row. A set `moved` says where this state lives now, and
-- `arriving` that it is not whole yet. `life` is another one after a restore and after a loss was accepted.
-- `lost` is an event that a node knew and that is not there: the database went back, and no node serves it.
CREATE TABLE meta (
    one         bool PRIMARY KEY DEFAULT true CHECK (one),
    application text NOT NULL,
    version     int4 NOT NULL,
    level       int4 NOT NULL,
    key_id      bytea NOT NULL,
    moved       text,
    arriving    bool NOT NULL DEFAULT false,
    life        uuid NOT NULL DEFAULT gen_random_uuid(),
    lost        int8
);

-- What is chained. A row is never changed and never removed, and nobody has leave to.
CREATE TABLE header (
    seq        int8 PRIMARY KEY,
    format     int2  NOT NULL,
    writer     int4  NOT NULL,
    writer_seq int8  NOT NULL,
    prev       bytea NOT NULL,
    kind       int2  NOT NULL,
    ask        uuid,
    at         int8  NOT NULL,
    body_hash  bytea NOT NULL,
    -- Not chained: who wrote it, and the first place of its turn.
    node       int4  NOT NULL,
    turn       int8  NOT NULL
);
-- An ask ends once. The turn sees to that; this is a second guard, and a hit is an alarm.
CREATE UNIQUE INDEX one_close ON header (ask) WHERE kind = 7;
REVOKE UPDATE, DELETE, TRUNCATE ON header FROM CURRENT_USER;

-- What can be erased.
CREATE TABLE body (
    seq  int8 PRIMARY KEY,
    body bytea NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.01);
DO $$ BEGIN
    ALTER TABLE body ALTER COLUMN body SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN NULL;
END $$;

-- Secrets, until their asker has them.
CREATE TABLE sealed (
    opened int8 NOT NULL,
    seq    int8 NOT NULL,
    gap    int8 NOT NULL,
    bytes  bytea NOT NULL,
    PRIMARY KEY (opened, seq, gap)
) WITH (autovacuum_vacuum_scale_factor = 0.01);

-- One row for each start of a process. Writing to it is how a node knows that its database still
-- acknowledges writes. `place` tells its state folder from every other.
CREATE TABLE node (
    node     int4 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name     text NOT NULL,
    place    bytea NOT NULL,
    url      text,
    version  text NOT NULL,
    level    int4 NOT NULL,
    applied  int8 NOT NULL DEFAULT 0,
    began_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    seen_at  timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (fillfactor = 50);

-- Which agents have connections at which node. Written anew after a crash of the database.
CREATE UNLOGGED TABLE here (
    node   int4 NOT NULL,
    agent  int8 NOT NULL,
    links  int4 NOT NULL,
    since  int8 NOT NULL,
    offers bytea NOT NULL,
    PRIMARY KEY (node, agent)
);

-- Codes that are good once, by a keyed hash of each, and how many wrong ones came while it was open.
CREATE TABLE pass (
    kind     int2 NOT NULL,
    hash     bytea NOT NULL,
    good_for bytea NOT NULL,
    "group"  text NOT NULL,
    wrong    int4 NOT NULL DEFAULT 0,
    until    timestamptz NOT NULL,
    PRIMARY KEY (kind, hash)
);

-- Small sealed records, such as the devices that want notices.
CREATE TABLE shelf (
    shelf text NOT NULL,
    key   text NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (shelf, key)
);

-- Files that agents show to people, in pieces.
CREATE TABLE file (
    number int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id     text NOT NULL UNIQUE,
    owner  int8 NOT NULL,
    bytes  int8 NOT NULL,
    about  text NOT NULL
);
CREATE TABLE file_part (
    id    text NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    part  int4 NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (id, part)
);

-- When tokens were last used.
CREATE TABLE used (
    token int8 PRIMARY KEY,
    at    int8 NOT NULL
);

-- Events that could not be read, and where the journal ended when that was noticed.
CREATE TABLE damage (
    seq     int8 PRIMARY KEY,
    kind    int8 NOT NULL,
    ask     bytea,
    noticed int8 NOT NULL,
    what    bytea NOT NULL
);
