-- Made after a rebuild, because filling a table is faster without them.
-- Everything a start needs of an open ask, in the order in which it is told.
CREATE INDEX IF NOT EXISTS asks_open ON asks (ask, opened, deadline, agent, conversation, matter, key_a, key_b)
    WHERE closed IS NULL AND void = 0;
CREATE INDEX IF NOT EXISTS asks_owed ON asks (closed_at, agent, ask, closed, outcome, late, delivery)
    WHERE closed IS NOT NULL AND delivery < 2 AND void = 0;
CREATE INDEX IF NOT EXISTS asks_closed ON asks (closed) WHERE closed IS NOT NULL AND erased = 0;
CREATE INDEX IF NOT EXISTS asks_agent ON asks (agent, closed) WHERE closed IS NOT NULL AND erased = 0;
CREATE INDEX IF NOT EXISTS asks_conversation ON asks (conversation, closed)
    WHERE conversation IS NOT NULL AND closed IS NOT NULL AND erased = 0;
CREATE INDEX IF NOT EXISTS asks_matter ON asks (matter, closed) WHERE closed IS NOT NULL AND erased = 0;
CREATE INDEX IF NOT EXISTS asks_closed_at ON asks (closed_at, closed, asked_at, outcome, agent, matter, closer, verdict, tool)
    WHERE closed IS NOT NULL AND erased = 0;
CREATE INDEX IF NOT EXISTS asks_key_a ON asks (key_a) WHERE key_a IS NOT NULL;
CREATE INDEX IF NOT EXISTS asks_key_b ON asks (key_b) WHERE key_b IS NOT NULL;
CREATE INDEX IF NOT EXISTS asks_late ON asks (late) WHERE late IS NOT NULL AND shape IS NOT NULL AND void = 0;
CREATE INDEX IF NOT EXISTS entries_at ON entries (at, seq);
CREATE INDEX IF NOT EXISTS conversations_last ON conversations (last);
CREATE INDEX IF NOT EXISTS conversations_agent ON conversations (agent, last);
CREATE INDEX IF NOT EXISTS conversations_running ON conversations (conversation) WHERE running = 1;
