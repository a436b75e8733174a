//! Every bound in one table, each with its reason.
//!
//! A bound that is missing here does not exist; code that needs one adds a row.

/// Paths of one action that are told to lead out of the workspace through a link.
pub const LINK_ESCAPES_MAX: usize = 64;

/// One HTTP body or WebSocket frame: a question with four long previews fits, a flood does not.
pub const FRAME_BYTES_MAX: usize = 1024 * 1024;
/// Connections that may be open before a token came: enough for many browsers that load the page at
/// once, and together with the next row at most 32 MiB.
pub const STRANGERS_MAX: usize = 512;
/// A head, and bytes read ahead: a browser sends about 2 KiB.
pub const HEAD_BYTES_MAX: usize = 32 * 1024;
/// One body or frame that comes without a valid token: a code or a token with what is around it. With
/// the head, a stranger's connection holds less than 64 KiB.
pub const STRANGER_BODY_BYTES_MAX: usize = 16 * 1024;
/// Bytes of a frame or body of an agent that has come in half and are not counted: what a stranger may
/// send, so that ordinary frames pass whatever others do.
pub const HALF_FREE_BYTES: usize = STRANGER_BODY_BYTES_MAX;
/// Bytes beyond those of all frames and bodies of agents that have come in half: 64 of the largest that
/// are taken.
pub const HALF_BYTES_MAX: usize = 64 * 1024 * 1024;
/// The same for the agents of one token.
pub const HALF_PER_TOKEN_BYTES_MAX: usize = HALF_BYTES_MAX / 4;
/// Seconds in which a frame must come in whole once it has begun.
pub const HALF_S: u64 = 45;
/// Bytes that the system keeps for one connection that does not read: without a bound it is megabytes,
/// and hundreds of stalled viewers would cost more than everyone else together.
pub const SEND_BUFFER_BYTES: u32 = 64 * 1024;
/// Viewers from which on a piece of news is written after what others wait for.
pub const CROWD: usize = 16;
/// Connections that agents leave free for people and admins, or a quarter of a small server's.
pub const PEOPLE_RESERVED: usize = 1024;
/// One string inside an ask or answer: a large file edit fits, and a device can still draw it.
pub const TEXT_BYTES_MAX: usize = 256 * 1024;
/// Nesting of JSON we read: ours needs 6; deeper input is an attack on the parser's stack.
pub const JSON_DEPTH_MAX: usize = 64;
/// A wire id or idempotency key: UUIDs and composed keys fit, the index stays small.
pub const WIRE_ID_BYTES_MAX: usize = 256;
/// A name of an agent, a conversation, a person or a device: shown on one line.
pub const NAME_BYTES_MAX: usize = 256;
/// A workspace is a path or a repository address; 4096 is the longest path Linux takes.
pub const WORKSPACE_BYTES_MAX: usize = 4096;
/// A title is one line above the ask.
pub const TITLE_BYTES_MAX: usize = 1024;
/// Questions in one ask: people answer a handful, but some programs limit no count and their asks
/// are taken as they come; above this nobody reads, and one frame holds hardly more.
pub const QUESTIONS_MAX: usize = 1024;
/// Choices of one question, for the same reason.
pub const CHOICES_MAX: usize = 1024;
/// A tag is a chip beside the question.
pub const TAG_BYTES_MAX: usize = 256;
/// A label is what a person reads on the card and an agent gets back.
pub const LABEL_BYTES_MAX: usize = 4 * 1024;
/// Fields of one form.
pub const FIELDS_MAX: usize = 64;
/// Choices of one form field.
pub const FIELD_CHOICES_MAX: usize = 256;
/// Exact text of a number: longer ones carry no meaning a person could check.
pub const NUMBER_BYTES_MAX: usize = 64;
/// Flags on one action: there are only so many kinds.
pub const FLAGS_MAX: usize = 16;
/// A note of a person or an agent beside an outcome.
pub const NOTE_BYTES_MAX: usize = 16 * 1024;
/// Shortest deadline an asker can set: below this nobody can read the question.
pub const TIMEOUT_S_MIN: u64 = 1;
/// Longest deadline: 366 days; whoever wants longer sets none.
pub const TIMEOUT_S_MAX: u64 = 366 * 24 * 3600;
/// Agents the server remembers.
pub const AGENTS_MAX: usize = 100_000;
/// Agents of one token: a program that makes up a name for each run ends here, and nobody else does.
pub const AGENTS_PER_TOKEN_MAX: usize = 10_000;
/// Conversations the agents of one token may have when nothing is set.
pub const CONVERSATIONS_PER_TOKEN: usize = 100_000;
/// Bytes of asks, messages and tool notes one token may send in a minute when nothing is set: a busy
/// program sends a hundredth of it, and a flood does not fill a disk before somebody looks.
pub const BYTES_PER_MINUTE: u64 = 32 * 1024 * 1024;
/// Conversations the server keeps.
pub const CONVERSATIONS_MAX: usize = 1_000_000;
/// Live tokens.
pub const TOKENS_MAX: usize = 10_000;
/// Rows of one page of a list.
pub const PAGE_ROWS_MAX: usize = 200;
/// Rows of one page when nothing is said.
pub const PAGE_ROWS: usize = 50;
/// Violations listed at once: enough to mend a form in one go, not a second flood.
pub const VIOLATIONS_MAX: usize = 100;
/// Events a slow device may fall behind before it is cut and told to resume.
pub const FEED_BEHIND_MAX: usize = 256;
/// Events a device may ask to be replayed; older cursors read the lists again.
pub const FEED_REPLAY_MAX: u64 = 10_000;
/// Outcomes an agent's link may fall behind before it is cut; it gets them again on the next one.
pub const LINK_BEHIND_MAX: usize = 256;
/// Unconfirmed outcomes remembered for one agent; older ones are still found by id or key.
pub const OWED_PER_AGENT_MAX: usize = 100_000;
/// Operations that go into one commit: a larger batch would keep the first one waiting.
pub const COMMIT_BATCH_MAX: usize = 1024;
/// Operations that may wait for a commit before callers are told to try later.
pub const COMMIT_QUEUE_MAX: usize = 65_536;
/// Bytes of asks kept in memory for answers that come soon: bodies otherwise live on disk.
pub const ASK_CACHE_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Long poll: below the 60 s at which proxies give up.
pub const WAIT_S_MAX: u64 = 55;
/// Tickets open at one time.
pub const TICKETS_MAX: usize = 1024;
/// Devices that are noted to have had one ask on screen: nobody asks for more of them.
pub const SHOWN_DEVICES_MAX: usize = 16;
/// Asks that a device may report at one time: more than fit on any screen.
pub const SHOWN_ASKS_MAX: usize = 200;
/// Asks of which is remembered who had them on screen; of older ones the projections know.
pub const SHOWN_REMEMBERED_MAX: usize = 16_384;
/// Such reports that may wait for a commit; beyond it they are dropped, as nothing hangs on them.
pub const SHOWN_WAITING_MAX: usize = 16_384;
/// Seconds a ticket lives.
pub const TICKET_S: u64 = 30;
/// Log-in codes open at one time.
pub const LOGIN_CODES_MAX: usize = 16;
/// Seconds a log-in code lives.
pub const LOGIN_CODE_S: u64 = 120;
/// Pairing codes open at one time: nobody sets up more programs at once.
pub const PAIRINGS_MAX: usize = 16;
/// Seconds a pairing code lives: long enough to edit a file on another machine.
pub const PAIRING_S: u64 = 600;
/// One file that an agent shows: a long document or a photograph fits, a film does not.
pub const FILE_BYTES_MAX: usize = 10 * 1024 * 1024;
/// Files kept, of all tokens.
pub const FILES_MAX: usize = 4_000;
/// Files kept of one token; its oldest make room for its own.
pub const FILES_PER_TOKEN_MAX: usize = 500;
/// Bytes of all files kept: a hundred of the largest.
pub const FILES_BYTES_MAX: u64 = 1024 * 1024 * 1024;
/// Bytes of the files of one token: an eighth of the room.
pub const FILES_PER_TOKEN_BYTES_MAX: u64 = FILES_BYTES_MAX / 8;
/// Files that may come in at one time.
pub const UPLOADS_MAX: usize = 32;
/// Files that may come in at one time with one token.
pub const UPLOADS_PER_TOKEN_MAX: usize = 4;
/// Messages of one conversation that may wait for its agent: more is a monologue.
pub const QUEUED_PER_CONVERSATION_MAX: usize = 100;
/// Messages of all conversations that may wait: only their ids and places are in memory.
pub const QUEUED_MAX: usize = 100_000;
/// Bytes that agents may be in the middle of saying, together: what goes beyond is kept at once.
pub const SAYING_BYTES_MAX: usize = 64 * 1024 * 1024;
/// The same for the agents of one token.
pub const SAYING_PER_TOKEN_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Conversations that one link may name when it offers to take turns.
pub const TURNS_NAMES_MAX: usize = 1024;
/// Ids that are listed when a name fits several things.
pub const NAMESAKES_MAX: usize = 16;
/// A shell command that a rule may allow: longer ones nobody reads before saying yes.
pub const PLAIN_COMMAND_BYTES_MAX: usize = 16 * 1024;
/// A program of jq that a rule may allow: longer ones are no glance at a file.
pub const JQ_BYTES_MAX: usize = 512;
/// Quotes inside quotes that are followed to find what a rule denies; each level needs twice the signs.
pub const LOOSE_DEPTH_MAX: usize = 8;
/// Bytes of commands in one ask that are read to rate it, and to find what a rule denies. What is longer
/// is of high risk, and no rule allows it while another may deny a part of it.
pub const COMMAND_READ_BYTES_MAX: usize = 32 * 1024;
/// Texts of one input in which commands are looked for: arguments of any tool fit.
pub const COMMAND_TEXTS_MAX: usize = 4_096;
/// Rules that are in force at one time.
pub const RULES_MAX: usize = 20_000;
/// Words that a rule for every command beginning with them may have.
pub const RULE_WORDS_MAX: usize = 16;
/// Demands that one rule makes of a tool's input.
pub const PREDICATES_MAX: usize = 16;
/// Rules of one file, and examples of one rule.
pub const RULE_FILE_RULES_MAX: usize = 2_000;
/// Examples of one rule in a file.
pub const RULE_EXAMPLES_MAX: usize = 64;
/// Days a rule holds when nothing is said.
pub const RULE_DAYS: u64 = 30;
/// Longest a rule holds: 366 days; an admin may make one without an end.
pub const RULE_DAYS_MAX: u64 = 366;
/// Open asks that one new rule answers in its own commit.
pub const RULE_SWEEP_MAX: usize = 500;
/// Approvals that are looked at to find what could be a rule.
pub const SUGGESTION_PAST_MAX: usize = 1_000;
/// How often a person must have said yes before a rule is suggested.
pub const SUGGESTION_ASKS_MIN: usize = 3;
/// What is remembered of one act that was denied: entries, and letters of each.
pub const LIKES_MAX: usize = 1_024;
/// Letters of a program or tool in what is remembered.
pub const LIKE_CHARS_MAX: usize = 64;
/// Entries that are looked up at once among what was denied.
pub const LIKES_AT_ONCE_MAX: usize = 500;
/// Suggestions that are told.
pub const SUGGESTIONS_MAX: usize = 20;
/// Closed asks that are looked at to tell what a rule would have done.
pub const RULE_PAST_MAX: usize = 60;
/// Days for which a late answer is offered as the start of the answer to an equal question.
pub const PREFILL_DAYS: u64 = 30;
/// Late answers that are kept in memory for that.
pub const PREFILLS_MAX: usize = 256;
/// Bytes of text that they may hold together.
pub const PREFILL_BYTES_MAX: usize = 4 * 1024 * 1024;
/// How often the last use of a token is written down while it is in use.
pub const USED_EVERY_S: u64 = 300;
