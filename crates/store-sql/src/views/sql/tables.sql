-- Projections: made from the journal, deletable at any time. A change here needs a new version
-- number in `views/mod.rs`; projections of another version are made again.
CREATE TABLE progress (
    stage TEXT PRIMARY KEY,
    seq   INTEGER NOT NULL,
    hash  BLOB
) STRICT, WITHOUT ROWID;
-- Rules made up to `rules_off` that do not deny are off.
INSERT INTO progress VALUES ('rows', 0, NULL), ('text', 0, NULL), ('purge', 0, NULL), ('rules_off', 0, NULL);

CREATE TABLE epoch (
    seq   INTEGER PRIMARY KEY,
    epoch BLOB NOT NULL
) STRICT;

CREATE TABLE tokens (
    token   INTEGER PRIMARY KEY,
    name    TEXT NOT NULL,
    role    INTEGER NOT NULL,
    person  TEXT,
    hash    BLOB NOT NULL,
    made_at INTEGER NOT NULL,
    goes_with INTEGER,
    revoked INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Rules as the journal has them, and what each has done.
CREATE TABLE rules (
    rule      INTEGER PRIMARY KEY,
    body      BLOB NOT NULL,
    made      INTEGER NOT NULL,
    revoked   INTEGER NOT NULL DEFAULT 0,
    hits      INTEGER NOT NULL DEFAULT 0,
    last_used INTEGER
) STRICT;

CREATE TABLE agents (
    agent   INTEGER PRIMARY KEY,
    token   INTEGER NOT NULL,
    name    TEXT NOT NULL,
    dialect TEXT NOT NULL
) STRICT;

CREATE TABLE conversations (
    conversation INTEGER PRIMARY KEY,
    agent        INTEGER NOT NULL,
    name         TEXT NOT NULL,
    -- Where it began; its latest entry, or the same; and whether a turn runs in it.
    began        INTEGER NOT NULL,
    began_at     INTEGER NOT NULL,
    last         INTEGER NOT NULL,
    last_at      INTEGER NOT NULL,
    running      INTEGER NOT NULL DEFAULT 0
) STRICT;

-- What stands in a conversation: its place and kind. The words are in the journal.
CREATE TABLE entries (
    conversation INTEGER NOT NULL,
    seq          INTEGER NOT NULL,
    kind         INTEGER NOT NULL,
    at           INTEGER NOT NULL,
    PRIMARY KEY (conversation, seq)
) STRICT, WITHOUT ROWID;

-- Messages that wait for their agent.
CREATE TABLE queued (
    seq          INTEGER PRIMARY KEY,
    conversation INTEGER NOT NULL,
    message      BLOB NOT NULL
) STRICT;

-- An erased ask keeps its places and nothing else.
CREATE TABLE asks (
    opened       INTEGER PRIMARY KEY,
    ask          BLOB NOT NULL,
    agent        INTEGER NOT NULL,
    conversation INTEGER,
    matter       INTEGER NOT NULL,
    deadline     INTEGER,
    key_a        INTEGER,
    key_b        INTEGER,
    asked_at     INTEGER NOT NULL,
    closed       INTEGER,
    late         INTEGER,
    -- Of questions with a deadline alone: only those can get a late answer that is offered again.
    shape        BLOB,
    outcome      INTEGER,
    closed_at    INTEGER,
    -- The tool of an approval; who ended it; and what a verdict said.
    tool         TEXT,
    closer       INTEGER,
    verdict      INTEGER,
    delivery     INTEGER NOT NULL DEFAULT 0,
    -- Where and when the outcome was first written to a link, and where and when it was confirmed.
    sent         INTEGER,
    sent_at      INTEGER,
    confirmed    INTEGER,
    confirmed_at INTEGER,
    void         INTEGER NOT NULL DEFAULT 0,
    erased       INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Which devices had which ask on screen: the first word of each counts.
CREATE TABLE shown (
    opened INTEGER NOT NULL,
    token  INTEGER NOT NULL,
    seq    INTEGER NOT NULL,
    at     INTEGER NOT NULL,
    PRIMARY KEY (opened, token)
) STRICT, WITHOUT ROWID;

-- Ids rise with the journal, so this one only grows at its end.
CREATE INDEX asks_ask ON asks (ask);

-- What a person denied, or allowed with another input only: what it was like, and where it was asked.
CREATE TABLE denied (
    likeness TEXT NOT NULL,
    opened   INTEGER NOT NULL,
    PRIMARY KEY (likeness, opened)
) STRICT, WITHOUT ROWID;
CREATE INDEX denied_opened ON denied (opened);

CREATE VIRTUAL TABLE asks_text USING fts5 (
    words,
    content = '',
    contentless_delete = 1,
    tokenize = 'unicode61 remove_diacritics 2'
);
