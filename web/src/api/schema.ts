// Written by tools/schema.mjs from the server's openapi.json. Not to be edited.

/** What an action does. Its keys depend on `kind`. */
export type Act = {
  /** `shell`: the command line. */
  command?: string | null;
  /** `write`: the new content of the file. */
  content?: string | null;
  /** The kind of act. */
  kind: ActKind;
  /** `edit`: the new text. */
  new?: string | null;
  /** `edit`: the old text. */
  old?: string | null;
  /** `edit`, `write`: the file. */
  path?: string | null;
};

/** The kinds of acts. */
export type ActKind = 'shell' | 'edit' | 'write' | 'other';

/** An action that needs approval. */
export type Action = {
  /** What the action does. */
  act: Act;
  /** The folder where it runs. */
  cwd?: string | null;
  /** Flags that devices must respect. */
  flags: Flag[];
  /** The input, as the exact text. */
  input: string;
  links?: Links | null;
  /** The agent's reason. */
  reason?: string | null;
  /** The reasons for the risk, most serious first. */
  reasons: string[];
  /** The risk. */
  risk: Risk;
  /** The parts of `act.command` that the reasons are about. */
  spans: Span[];
  /** The tool's name. */
  tool: string;
  /** The hash of the tool's schema, if the agent reports it. */
  tool_schema?: string | null;
};

/** An agent connected or disconnected. */
export type AgentChange = {
  /** The agent. */
  agent: AgentRow;
  /** When it happened. */
  at: WireTime;
};

/** A frame to an agent. */
export type AgentEvent = (AskedEvent & {
  event: 'asked';
}) | (OutcomeEvent & {
  event: 'outcome';
}) | (TurnEvent & {
  event: 'turn';
}) | (ControlEvent & {
  event: 'control';
}) | (SocketProblem & {
  event: 'problem';
});

/** A frame from an agent. */
export type AgentFrame = (AskFrame & {
  do: 'ask';
}) | (WithdrawFrame & {
  do: 'withdraw';
}) | (ConfirmFrame & {
  do: 'confirm';
}) | (SayFrame & {
  do: 'say';
}) | (NoteFrame & {
  do: 'note';
}) | (TakeTurnsFrame & {
  do: 'take_turns';
}) | (TakeControlsFrame & {
  do: 'take_controls';
}) | (ControlledFrame & {
  do: 'controlled';
});

/** The agent. */
export type AgentRef = {
  /** Whether it is connected. */
  connected: boolean;
  /** Its dialect. */
  dialect: string;
  /** The id. */
  id: string;
  /** Its name. */
  name: string;
};

/** An agent. */
export type AgentRow = {
  /** Whether it is connected. */
  connected: boolean;
  /** Its dialect. */
  dialect: string;
  /** The id. */
  id: string;
  last_ask_at?: WireTime | null;
  left_at?: WireTime | null;
  /** The number of its connections; an agent connected over HTTP has none. */
  links?: number;
  /** Its name. */
  name: string;
  /** The number of its open asks. */
  open: number;
  since?: WireTime | null;
  /** Whether a connection of it takes turns in new conversations: then a person can begin one with it. */
  takes_turns?: boolean;
  /** The id of its token. */
  token: string;
  unreadable_at?: WireTime | null;
};

/** All known agents. */
export type Agents = {
  /** The rows. */
  agents: AgentRow[];
};

/** Whether the server works; public. */
export type Alive = {
  /** The reason, if the state is not `ok`. */
  detail?: string | null;
  /** `ok`, `try_later` while writes fail or lists are being rebuilt, or `damaged` while an entry
   * of the journal can't be read. */
  status: string;
  /** The version of the server. */
  version: string;
};

/** An answer: exactly one of the three. */
export type Answer = {
  /** A reply for each answered question. */
  replies: Reply[];
} | {
  /** The verdict on an action. */
  verdict: Verdict;
} | {
  /** The fields of a form. */
  fields: Fields;
};

/** Answers an ask. */
export type AnswerFrame = {
  /** The digest of the ask as it was shown. */
  digest: string;
  fields?: Fields | null;
  /** The id of the ask. */
  id: string;
  /** A reference that the reply repeats. */
  ref?: string | null;
  /** A reply for each answered question. */
  replies?: Reply[] | null;
  rule?: RuleChoice | null;
  verdict?: Verdict | null;
};

/** An answer: the digest of what was shown, and exactly one of `replies`, `verdict` and `fields`. */
export type AnswerRequest = {
  /** The digest of the ask as it was shown. */
  digest: string;
  fields?: Fields | null;
  /** A reply for each answered question. */
  replies?: Reply[] | null;
  rule?: RuleChoice | null;
  verdict?: Verdict | null;
};

/** An ask. It has exactly one of `questions`, `action` and `form`. */
export type Ask = {
  action?: Action | null;
  /** The agent. */
  agent: AgentRef;
  /** When the server received it. */
  asked_at: WireTime;
  conversation?: ConversationRef | null;
  deadline?: WireTime | null;
  /** The delivery state of the outcome. */
  delivery: Delivery;
  /** The hash of what is shown to a person; an answer must repeat it. */
  digest: string;
  /** `false` if the agent's language can't carry a changed input, so the input can only be
   * allowed as it is. Absent otherwise. */
  edit?: boolean | null;
  form?: Form | null;
  /** The id. */
  id: string;
  late?: Late | null;
  /** The kind of ask. */
  matter: Matter;
  outcome?: Outcome | null;
  prefill?: Prefill | null;
  /** Questions to answer. */
  questions?: Question[] | null;
  /** The scopes that an approval can have. */
  scopes: Scope[];
  /** The hash without agent and place: identical asks have the same shape. */
  shape: string;
  /** Whether the ask is open or closed. */
  state: State;
  /** Whether denying or dismissing can also end the agent's turn, with `stop`. Absent if the
   * agent doesn't support it. */
  stop?: boolean;
  /** A title of one line. */
  title?: string | null;
  /** Whether the ask or its outcome is damaged in the journal. Such an ask can be dismissed or
   * withdrawn, but not answered; `questions` has one that says so. Absent otherwise. */
  unreadable?: boolean;
  /** The agent's own id of the ask. */
  wire_id?: string | null;
  /** The workspace, as the agent reports it. */
  workspace?: string | null;
};

/** An ask after an event. */
export type AskChange = {
  /** The ask. */
  ask: Ask;
  /** When it happened. */
  at: WireTime;
  /** The position in the journal. */
  seq: number;
};

/** Makes an ask. */
export type AskFrame = {
  /** The ask. */
  ask: NewAsk;
  /** The idempotency key: a retry with the same key finds the same ask. */
  key?: string | null;
  /** A reference that the reply repeats. */
  ref?: string | null;
};

/** A page of asks. */
export type AskPage = {
  /** The position in the journal that this page reflects. */
  as_of: number;
  /** The asks. */
  asks: Ask[];
  /** The cursor of the next page; null on the last page. */
  next?: string | null;
};

/** An ask was saved. */
export type AskedEvent = {
  /** Its digest. */
  digest: string;
  /** The id of the ask. */
  id: string;
  /** The reference of the frame that asked. */
  ref?: string | null;
};

/** The result of a backup. */
export type BackupMade = {
  /** The path of the backup. */
  file: string;
};

/** A request for a backup. */
export type BackupRequest = {
  /** The path of the new file on the server's machine: absolute, and not existing yet. */
  file: string;
};

/** A reason. */
export type BecauseRow = {
  /** The index of the command, from 0. */
  part?: number | null;
  /** The rule. */
  rule?: string | null;
  /** The explanation. */
  why: string;
};

/** Who closed an ask: a person on a device, a rule, the agent, or the clock. */
export type By = {
  /** The agent. */
  agent?: string | null;
  /** Whether the deadline closed it. */
  clock?: boolean;
  /** The device. */
  device?: string | null;
  /** The person. */
  person?: string | null;
  /** The rule. */
  rule?: string | null;
  /** The version of the rule. */
  version?: number | null;
};

/** A choice. */
export type Choice = {
  /** A description of one line. */
  description?: string | null;
  /** The label, which is also the value of the answer. */
  label: string;
  /** A preview of the choice. */
  preview?: string | null;
  /** Whether the agent recommends this choice. */
  recommended?: boolean;
};

/** How much space was freed. */
export type CompactReport = {
  /** Size of the files after, in bytes. */
  after: number;
  /** Size of the files before, in bytes. */
  before: number;
  /** Bytes that are freed automatically when no other program reads the files. */
  held?: number;
  /** Bytes that can only be freed while the server is stopped. */
  stuck: number;
};

/** Confirms that the outcome of an ask arrived. */
export type ConfirmFrame = {
  /** The id of the ask. */
  id: string;
  /** A reference that a problem with this frame repeats. */
  ref?: string | null;
};

/** A command for the agent's program. */
export type ControlEvent = {
  /** The person who sent it. */
  by: string;
  /** The command. */
  control: ControlWord;
  /** The conversation, by the agent's name for it. */
  conversation: string;
  /** The id that `controlled` repeats; counted for each connection. */
  id: number;
  /** The mode to set, by the program's own name for it. */
  mode?: string | null;
};

/** The commands for an agent's program. */
export type ControlWord = 'interrupt' | 'set_mode';

/** Reports that a command was carried out, or why not. */
export type ControlledFrame = {
  /** The id of the command. */
  id: number;
  /** Why it was not carried out; absent if it was. */
  problem?: string | null;
  /** A reference that a problem with this frame repeats. */
  ref?: string | null;
};

/** Conversations, most recent entry first. */
export type ConversationList = {
  /** The position in the journal that this page reflects. */
  as_of: number;
  /** The rows. */
  conversations: ConversationRow[];
  /** The cursor of the next page; null on the last page. */
  next?: number | null;
};

/** A conversation. */
export type ConversationRef = {
  /** The id. */
  id: string;
  /** Its name, as the agent gave it. */
  name: string;
};

/** A conversation. */
export type ConversationRow = {
  /** The agent. */
  agent: AgentRef;
  /** Whether the agent's program can be told to stop. */
  can_stop?: boolean;
  /** The id. */
  id: string;
  /** When the last entry was added. */
  last_at: WireTime;
  /** Its name, as the agent gave it. */
  name: string;
  /** The number of open asks. */
  open: number;
  /** The number of queued messages. */
  queued: number;
  /** The state of the agent's turn. */
  turn: Turn;
};

/** The delivery state of one outcome. */
export type Delivered = {
  /** When the state changed. */
  at: WireTime;
  /** The delivery state. */
  delivery: Delivery;
  /** The id of the ask. */
  id: string;
};

/** The delivery state of an outcome. */
export type Delivery = 'owed' | 'sent' | 'confirmed';

/** A change of delivery states. */
export type DeliveryChange = {
  /** The asks whose delivery state changed. */
  asks: Delivered[];
  /** When it happened. */
  at: WireTime;
  /** The position in the journal. */
  seq: number;
};

/** A frame from a device. */
export type DeviceFrame = (AnswerFrame & {
  do: 'answer';
}) | (DismissFrame & {
  do: 'dismiss';
});

/** Dismisses an ask. */
export type DismissFrame = {
  /** The digest of the ask as it was shown. */
  digest: string;
  /** The id of the ask. */
  id: string;
  /** The reason. */
  note?: string | null;
  /** A reference that the reply repeats. */
  ref?: string | null;
  /** Whether to end the agent's turn as well; only if the ask has `stop`. */
  stop?: boolean;
};

/** Dismisses an ask without an answer. */
export type DismissRequest = {
  /** The digest of the ask as it was shown. */
  digest: string;
  /** The reason. */
  note?: string | null;
  /** Whether to end the agent's turn as well; only if the ask has `stop`. */
  stop?: boolean;
};

/** The frame was processed. */
export type Done = {
  /** The ask. */
  ask: Ask;
  /** The reference of the device's frame. */
  ref?: string | null;
};

/** The entries of a conversation, in order. */
export type Entries = {
  /** The position in the journal that this page reflects; the feed continues from there. */
  as_of: number;
  /** The conversation. */
  conversation: ConversationRef;
  /** The entries. */
  entries: Entry[];
  /** The cursor of the next page: for `after` when reading forwards, for `before` when reading
   * backwards; null on the last page. */
  next?: number | null;
  /** The text of the agent's message that is still incomplete. */
  saying?: string | null;
  /** Whether the agent is connected and takes messages in it; otherwise a message is queued. */
  takes_messages?: boolean;
  /** The state of the agent's turn. */
  turn: Turn;
};

/** An entry of a conversation. */
export type Entry = {
  ask?: Ask | null;
  /** When it happened. */
  at: WireTime;
  /** The id of the conversation. */
  conversation: string;
  /** `message`: the device it was sent from. */
  device?: string | null;
  end?: TurnEnd | null;
  /** `message`, `said`, `note`: the id. */
  id?: string | null;
  /** The kind of entry. */
  kind: EntryKind;
  /** `message`: the person who sent it. */
  person?: string | null;
  /** The position in the journal. A later entry with the same position replaces the earlier one. */
  seq: number;
  state?: MessageState | null;
  /** `note`: the status: `running`, `done` or `failed`. */
  status?: string | null;
  /** `message`, `said`, `note`: the text. */
  text?: string | null;
  /** `note`: the name of the tool. */
  tool?: string | null;
};

/** A new or changed entry of a conversation. */
export type EntryChange = {
  /** When it happened. */
  at: WireTime;
  /** The entry. */
  entry: Entry;
  /** The position in the journal. */
  seq: number;
};

/** The kinds of entries. */
export type EntryKind = 'message' | 'said' | 'note' | 'ask' | 'turn_ended';

/** A frame to a device. */
export type FeedEvent = (Ready & {
  event: 'ready';
}) | (AskChange & {
  event: 'asked';
}) | (AskChange & {
  event: 'closed';
}) | (DeliveryChange & {
  event: 'delivery';
}) | (EntryChange & {
  event: 'entry';
}) | (Saying & {
  event: 'saying';
}) | (TurnChange & {
  event: 'turn';
}) | (AgentChange & {
  event: 'agent';
}) | (RuleChange & {
  event: 'rule';
}) | (Mark & {
  event: 'reset';
}) | (Done & {
  event: 'done';
}) | (SocketProblem & {
  event: 'problem';
});

/** A field. Its keys depend on `kind`. */
export type Field = {
  default?: FieldValue | null;
  /** A description of one line. */
  description?: string | null;
  format?: TextFormat | null;
  /** The type of the field. */
  kind: FieldKind;
  max?: WireNumber | null;
  /** `many_of`: maximum number of choices. */
  max_items?: number | null;
  /** `text`: maximum length in characters. */
  max_length?: number | null;
  min?: WireNumber | null;
  /** `many_of`: minimum number of choices. */
  min_items?: number | null;
  /** `text`: minimum length in characters. */
  min_length?: number | null;
  /** The name of the field in the answer. */
  name: string;
  /** `one_of`, `many_of`: the choices. */
  options?: FieldChoice[] | null;
  /** Whether the field is required. */
  required?: boolean;
  /** The label of the field; the name by default. */
  title?: string | null;
};

/** A choice. */
export type FieldChoice = {
  /** The label of the value; the value by default. */
  title?: string | null;
  /** The value in the answer. */
  value: string;
};

/** The types of fields. */
export type FieldKind = 'text' | 'number' | 'integer' | 'boolean' | 'one_of' | 'many_of' | 'secret';

export type FieldValue = string | number | boolean | string[] | {
  secret: boolean;
};

export type Fields = {
  [name: string]: string | number | boolean | string[] | {
    secret: boolean;
  };
};

/** Flags that devices must respect. */
export type Flag = 'default_no' | 'no_always' | 'needs_person';

/** What was erased, and what was skipped. */
export type ForgetReport = {
  /** Erased asks. */
  asks: number;
  /** Erased messages, agent text and tool notes. */
  entries: number;
  /** Open asks that were skipped. */
  left_open: number;
  /** Queued messages that were skipped. */
  left_queued: number;
  /** Conversations that were skipped because a turn is running. */
  left_running: number;
};

/** What to erase: everything that matches all given filters. At least one is required. */
export type ForgetRequest = {
  /** Only of this agent, by id or name. */
  agent?: string | null;
  before?: WireTime | null;
  /** Only in this conversation, by id or name. */
  conversation?: string | null;
};

/** A form: `fields`, or a `url`. */
export type Form = {
  /** The fields to fill in. */
  fields?: Field[] | null;
  /** What the agent needs, and why. */
  message: string;
  /** The URL of the page to visit. */
  url?: string | null;
};

/** The state of the server, with numbers. */
export type FullHealth = Health & ({
  /** Devices connected to the feed. */
  devices: number;
  /** The last published position in the journal. */
  head: number;
  /** Connections of agents. */
  links: number;
  /** Outcomes on their way to their agents. */
  owed: number;
  verified?: VerifyReport | null;
  /** The progress of the lists of closed asks. */
  viewed: number;
});

/** The state of the server. */
export type Health = {
  /** The reason, if the state is not `ok`. */
  detail?: string | null;
  /** What can be lost in a crash: `power-loss-safe`, `process-crash-safe` or `UNSAFE (why)`. */
  durability: string;
  /** The epoch of the state; a restored backup begins a new one. */
  epoch: string;
  /** The journal. */
  journal: JournalHealth;
  /** The number of open asks. */
  open: number;
  /** When the server started. */
  started_at: WireTime;
  /** The state. */
  state: HealthState;
  /** Current problems, most serious first; absent if there are none. */
  troubles?: string[];
  /** The version of the server. */
  version: string;
};

/** The states of the server. */
export type HealthState = 'ok' | 'try_later' | 'damaged';

/** The state of the journal. */
export type JournalHealth = {
  /** The position up to which the hash chain has been checked since the start. */
  checked: number;
  /** The last position. */
  seq: number;
  /** The result of the check so far. */
  state: JournalState;
};

/** The results of checking the journal. */
export type JournalState = 'checking' | 'sound' | 'damaged';

/** An answer after the deadline. */
export type Late = {
  /** The answer. */
  answer: Answer;
  /** When it happened. */
  at: WireTime;
  /** Who answered. */
  by: By;
};

/** What a program next to the agent found when it followed symbolic links in the paths of an
 * action. */
export type Links = {
  /** Paths that look like they are in the workspace, but lead out of it through a link. No rule
   * allows an action with such a path. */
  escapes?: string[];
  /** Whether links were followed in the working folder and in every path of the action. */
  resolved: boolean;
};

/** A node. */
export type ListedNode = {
  /** The last position in the journal that it has applied. */
  applied: number;
  /** Its name. */
  node: string;
  /** When it was last seen. */
  seen_at: WireTime;
  /** The state of the node. */
  state: NodeStanding;
  /** The URL it listens on; absent until it listens. */
  url?: string | null;
  /** Its version. */
  version: string;
};

/** The token of this device. It is shown only once. */
export type LoggedIn = {
  /** An admin token of the same device, if the link was for one; revoking one token revokes the
   * other. */
  admin?: string | null;
  /** The name of the device. */
  device: string;
  /** The person who owns it. */
  person: string;
  /** The token. */
  token: string;
};

/** A login code: valid once, for two minutes. */
export type LoginCode = {
  /** The code. */
  code: string;
  /** When it expires. */
  expires_at: WireTime;
  /** The URL as a QR code: one string per row, `#` is dark. */
  qr?: string[] | null;
  /** The URL of the page, with the code in its fragment, which browsers don't send. */
  url: string;
};

/** A request to exchange a login code for a token. */
export type LoginRequest = {
  /** The code from the link. */
  code: string;
  /** The name of this device. */
  device?: string | null;
};

/** A hint on how to show a question. */
export type Look = 'list' | 'buttons' | 'dropdown';

/** A position in the journal. */
export type Mark = {
  /** The position in the journal. */
  seq: number;
};

/** The kinds of asks. */
export type Matter = 'questions' | 'approval' | 'form';

/** The result. */
export type MessageSent = {
  /** The conversation. */
  conversation: ConversationRef;
  /** The id of the message. */
  message: string;
  /** The state of the message. */
  state: MessageState;
};

/** The states of a message. */
export type MessageState = 'sent' | 'queued' | 'removed';

/** A new action. */
export type NewAction = {
  act?: Act | null;
  /** The folder where it runs. */
  cwd?: string | null;
  /** Flags that devices must respect. */
  flags?: Flag[];
  /** The input, as the exact text. */
  input: string;
  links?: Links | null;
  /** The agent's reason. */
  reason?: string | null;
  risk?: Risk | null;
  /** The tool's name. */
  tool: string;
  /** `sha256:` and the hash of the tool's schema, as canonical JSON (RFC 8785). Rules are bound
   * to it, so a changed schema ends them. Without it, a rule for a tool of an MCP server can
   * only allow one exact input. */
  tool_schema?: string | null;
};

/** A new ask. It has exactly one of `questions`, `action` and `form`. */
export type NewAsk = {
  action?: NewAction | null;
  /** The name of the agent. */
  agent?: string | null;
  /** The conversation it belongs to, by the agent's own name for it. */
  conversation?: string | null;
  form?: Form | null;
  /** The kind of ask. */
  matter: Matter;
  /** Questions to answer. */
  questions?: NewQuestion[] | null;
  /** Whether the agent ends its turn when the outcome says `stop`. */
  stop?: boolean;
  /** How many seconds the agent waits; without limit by default. */
  timeout_s?: number | null;
  /** A title of one line. */
  title?: string | null;
  /** The agent's own id of the ask. */
  wire_id?: string | null;
  /** The workspace. */
  workspace?: string | null;
};

/** A request for a login code. */
export type NewLogin = {
  /** Whether the device also gets an admin token. */
  admin?: boolean;
  /** The person who logs in; the local person by default. */
  person?: string | null;
};

/** A message from a person. */
export type NewMessage = {
  /** The agent, by id or name: for a new conversation, or if several agents have a conversation
   * with the same name. */
  agent?: string | null;
  /** The text. */
  text: string;
};

/** A request for a pairing code. */
export type NewPairing = {
  /** The dialect of the program to pair. */
  dialect: string;
  /** The name of the token. By default the name of the dialect, with a number if that name is
   * taken. */
  name?: string | null;
};

/** A request for push notifications, with the subscription of the browser. */
export type NewPush = {
  /** The URL of the push service. */
  endpoint: string;
  /** The keys that encrypt notifications for this device. */
  keys: PushKeys;
  /** Whether notifications include the question; otherwise they only say that there is a new ask. */
  text?: boolean;
};

/** A question. */
export type NewQuestion = {
  /** The choices. */
  choices?: Choice[];
  /** The labels that are preselected. */
  default?: string[];
  /** Whether the person can answer in free text; `true` by default. */
  free_text?: boolean;
  /** A hint on how to show the question. */
  look?: Look;
  pick?: Pick | null;
  /** Whether an answer to this question is required. */
  required?: boolean;
  /** A short label. */
  tag?: string | null;
  /** The text of the question. */
  text: string;
};

/** A new rule. */
export type NewRule = {
  /** Only for this agent, by id or name. */
  agent?: string | null;
  /** This command line, word for word. */
  command?: string | null;
  /** Only in this conversation, by id or name. */
  conversation?: string | null;
  /** With `command` or `preset`: only in this folder (absolute path). A preset that only reads
   * also applies below it. */
  cwd?: string | null;
  /** Only for agents that speak this dialect. */
  dialect?: string | null;
  effect?: RuleEffect | null;
  /** How long it lasts; by default 30 days, or without end for `deny` and `level`. */
  expires_s?: number | null;
  /** The level for everything; only admins can set it. */
  level?: string | null;
  /** Only asks for which a program next to the agent followed symbolic links (`action.links`). */
  links?: boolean;
  /** Commands or tool inputs that it must cover; otherwise it is not made. */
  match?: string[];
  /** With `level`: when to ask; `on-miss` by default. */
  mode?: string | null;
  /** With `command`: only if the agent does not report its folder. */
  no_cwd?: boolean;
  /** Commands or tool inputs that it must not cover. */
  not_match?: string[];
  /** The reason. */
  note?: string | null;
  /** With `tool`: conditions on its input. */
  only?: RuleOnly[] | null;
  /** Every command of this preset. */
  preset?: string | null;
  /** Whether it is a shadow rule, which decides nothing and only records what it would do. */
  shadow?: boolean;
  /** This tool; with `command` or `preset`, only when this tool runs it. */
  tool?: string | null;
  /** Every command that starts with these words; only admins can allow it. */
  words?: string[] | null;
  /** Only in this workspace. */
  workspace?: string | null;
};

/** A request for a ticket. */
export type NewTicket = {
  /** The door it opens: `feed`, `sse`, or a dialect's door for people (`chat`, `nebo`,
   * `claude-control`). */
  for: string;
};

/** A request for a new token. */
export type NewToken = {
  /** The name; for a person, the name of the device. */
  name: string;
  /** The person who owns it; only with the role `person`. */
  person?: string | null;
  /** The role. */
  role: Role;
};

/** The nodes. */
export type NodeList = {
  /** The nodes that run or ran recently, by name. */
  nodes: ListedNode[];
};

/** The states of a node. */
export type NodeStanding = 'fresh' | 'silent' | 'gone';

/** Notes a tool's work. */
export type NoteFrame = {
  /** The conversation. */
  conversation: string;
  /** A reference that a problem with this frame repeats. */
  ref?: string | null;
  /** The status: `running`, `done` or `failed`. */
  status?: string | null;
  /** What the tool does. */
  text?: string;
  /** The name of the tool. */
  tool: string;
};

/** Whom an offer can apply to, and what it would have done. */
export type OfferChoice = {
  /** How many of them the rule would have allowed. */
  allowed: number;
  /** Whom the rule applies to. */
  applies_to: RuleAppliesTo;
  /** The number of recent asks that were checked. */
  asks: number;
  /** The ids of those that a person denied. */
  denied: string[];
  /** The number of other open asks it would answer immediately. */
  open: number;
};

/** Something that can be allowed. */
export type OfferRow = {
  /** Whom it can apply to, and what it would have done to the last asks. */
  choices: OfferChoice[];
  /** Its name: `exact`, a preset, `this-file`, `folder` or `host`. */
  preset: string;
  /** What it allows, as a sentence. */
  says: string;
};

/** What can be allowed for more than once; may be empty. */
export type Offers = {
  /** The offers, narrowest first. */
  offers: OfferRow[];
};

/** The asks that are on a device's screen. */
export type OnScreen = {
  /** Their ids, at most 200. */
  asks: string[];
};

/** The outcome of an ask. */
export type Outcome = {
  answer?: Answer | null;
  /** When it happened. */
  at: WireTime;
  /** Who closed it. */
  by: By;
  /** The kind of outcome. */
  kind: OutcomeKind;
  /** `dismissed`, `withdrawn`: the reason. */
  note?: string | null;
  /** `dismissed`: whether the agent's turn ends as well. */
  stop?: boolean;
};

/** An ask was closed. */
export type OutcomeEvent = {
  /** The id of the ask. */
  id: string;
  late?: Late | null;
  /** The outcome. */
  outcome: Outcome;
  /** The agent's own id of the ask. */
  wire_id?: string | null;
};

/** The kinds of outcomes. */
export type OutcomeKind = 'answered' | 'dismissed' | 'expired' | 'withdrawn';

/** A pairing code: valid once, for ten minutes. */
export type Pairing = {
  /** Six digits. */
  code: string;
  /** The text to copy to the program, including the code. */
  copied?: string;
  /** The dialect of the program. */
  dialect: string;
  /** When it expires. */
  expires_at: WireTime;
  /** The instructions, line by line. */
  lines?: string[];
  /** The same as a QR code: one string per row, `#` is dark. */
  qr?: string[] | null;
};

/** The people who can answer. */
export type People = {
  /** The rows. */
  people: PersonRow[];
};

/** A person. */
export type PersonRow = {
  /** The names of their devices. */
  devices: string[];
  /** Their name. */
  name: string;
};

/** How a question is answered. */
export type Pick = 'one' | 'many' | 'text';

/** A late answer to an identical question, suggested to a person. */
export type Prefill = {
  /** The answer. */
  answer: Answer;
  /** The expired ask that was answered late. */
  ask: string;
  /** When it happened. */
  at: WireTime;
  /** Who answered. */
  by: By;
};

/** A preset. */
export type PresetRow = {
  /** The commands it covers. */
  command: string;
  /** Its name. */
  name: string;
  /** What it does. */
  says: string;
};

/** The presets. */
export type Presets = {
  /** The rows. */
  presets: PresetRow[];
};

/** A problem (`application/problem+json`). */
export type Problem = {
  ask?: Ask | null;
  /** The kind of problem as a code. */
  code: ProblemCode;
  /** What went wrong in this case. */
  detail?: string | null;
  /** What to do about it. */
  hint?: string | null;
  /** Whether a late answer was saved. */
  kept?: boolean | null;
  /** The HTTP status. */
  status: number;
  /** The kind of problem as a sentence. */
  title: string;
  /** A URI for this kind of problem. */
  type: string;
  /** Everything that is wrong with the request. */
  violations?: Violation[];
};

/** The kinds of problems. */
export type ProblemCode = 'bad_json' | 'unauthorized' | 'forbidden' | 'not_found' | 'already_closed' | 'digest_mismatch' | 'key_conflict' | 'expired' | 'too_large' | 'invalid' | 'scope_unavailable' | 'slow_down' | 'try_later';

/** The result of sending a notification. */
export type PushHow = 'taken' | 'gone' | 'again' | 'refused';

/** The keys of a subscription, in URL-safe base64. */
export type PushKeys = {
  /** Its secret. */
  auth: string;
  /** Its public key. */
  p256dh: string;
};

/** The result of a notification. */
export type PushLast = {
  /** When. */
  at: WireTime;
  /** The result. */
  how: PushHow;
  /** The response of the push service, if it has details. */
  status?: number | null;
};

/** The push notifications of a device. */
export type PushRow = {
  /** The URL of the push service. */
  endpoint: string;
  last?: PushLast | null;
  /** The number of notifications that the push service accepted. */
  sent: number;
  /** Since when this has been so. */
  since: WireTime;
  /** Whether notifications include the question. */
  text: boolean;
};

/** Whether this device gets push notifications. */
export type PushState = {
  /** The key that identifies this server to the browser. */
  key: string;
  subscription?: PushRow | null;
};

/** A question. */
export type Question = {
  /** The choices. */
  choices: Choice[];
  /** The labels that are preselected. */
  default: string[];
  /** Whether the person can answer in free text. */
  free_text: boolean;
  /** A hint on how to show the question. */
  look: Look;
  /** How the question is answered. */
  pick: Pick;
  /** Whether an answer to this question is required. */
  required: boolean;
  /** A short label. */
  tag?: string | null;
  /** The text of the question. */
  text: string;
};

/** Whether a server accepts requests, for load balancers. */
export type Readiness = {
  /** Whether it accepts requests. */
  ready: boolean;
  /** The reason, if not. */
  reason?: string | null;
};

/** The start of the feed. */
export type Ready = {
  /** The person's device. */
  device: string;
  /** The epoch of the state. A different one means that a backup was restored: positions have
   * changed, so reload the lists. */
  epoch: string;
  /** The person whose feed this is. */
  person: string;
  /** The position in the journal. */
  seq: number;
};

/** The answer to one question. */
export type Reply = {
  /** The chosen labels. */
  labels?: string[];
  /** A note with the answer. */
  note?: string | null;
  /** The free text. */
  other?: string | null;
  /** The index of the question, from 0. */
  question: number;
};

/** The risk of an action. */
export type Risk = 'low' | 'medium' | 'high';

/** The roles of a token. */
export type Role = 'agent' | 'person' | 'admin';

/** Whom a rule applies to. */
export type RuleAppliesTo = 'agent' | 'workspace' | 'conversation';

/** A rule changed. */
export type RuleChange = {
  /** When it happened. */
  at: WireTime;
  /** The id of the rule. */
  rule: string;
  /** The position in the journal. */
  seq: number;
};

/** The rule that a verdict makes when its scope is not `once`. */
export type RuleChoice = {
  applies_to?: RuleAppliesTo | null;
  /** How long it lasts; 30 days by default. */
  expires_s?: number | null;
  /** The name of the offer: `exact` (default), a preset, `this-file`, `folder` or `host`. */
  preset?: string | null;
};

/** The effects of a rule. */
export type RuleEffect = 'allow' | 'deny' | 'level';

/** A file of rules: all of them are made, or none. */
export type RuleFile = {
  /** Whether to revoke every other rule. */
  replace?: boolean;
  /** The rules. */
  rules: NewRule[];
};

/** Who made a rule. */
export type RuleMaker = {
  /** The admin's token. */
  admin?: string | null;
  /** The device. */
  device?: string | null;
  /** The person. */
  person?: string | null;
};

/** A condition on a tool's input: `input`, or `schema`, or `file`, or `at` with one of the rest. */
export type RuleOnly = {
  /** The place in the input, as a JSON pointer. */
  at?: string | null;
  /** The file, or the path at `at`, is below this folder and not hidden. */
  below?: string | null;
  /** The value is `true` or `false`. */
  boolean?: boolean | null;
  /** The file that is edited or written. */
  file?: string | null;
  /** The value is a URL on exactly this host, such as `docs.rs` for `https` on its default port,
   * or with scheme and port, such as `http://127.0.0.1:8080`. */
  host?: string | null;
  /** The hash of the exact input. */
  input?: string | null;
  /** The value is a whole number, at most this; with `min`. */
  max?: number | null;
  /** The value is a whole number, at least this; with `max`. */
  min?: number | null;
  /** The value is this path. */
  path?: string | null;
  /** The hash of the tool's schema; the rule ends when it changes or is no longer reported. */
  schema?: string | null;
  /** The value is this text. */
  text?: string | null;
};

/** What a rule did, or would have done, for the approvals closed since it was made. */
export type RulePast = {
  /** The ids of those for which a person decided the opposite. */
  against: string[];
  /** The number of approvals checked. */
  asks: number;
  /** How many of them the rule covers. */
  covered: number;
};

/** A rule. */
export type RuleRow = RuleWhat & ({
  /** Who made it: a person on a device, or an admin's token. */
  by: RuleMaker;
  expires_at?: WireTime | null;
  /** The number of asks it has answered. */
  hits: number;
  /** The id. */
  id: string;
  /** Why it has no effect although it has not ended, and what to do. */
  idle?: string | null;
  last_used_at?: WireTime | null;
  /** Whether it is valid now. */
  live: boolean;
  /** When it was made. */
  made_at: WireTime;
  /** What the rule does, as a sentence. */
  says: string;
  /** The version. */
  version: number;
});

/** An action to test the rules with. */
export type RuleTest = {
  /** The agent, by id or name. */
  agent?: string | null;
  /** A shell command. */
  command?: string | null;
  /** The conversation, by id or name. */
  conversation?: string | null;
  /** The folder where it runs. */
  cwd?: string | null;
  /** The tool's input as an agent would send it, instead of a command. */
  input?: string | null;
  /** Whether a program next to the agent follows symbolic links; by default, if `cwd` is set. */
  links?: boolean | null;
  /** The tool's name; `Bash` by default. */
  tool?: string | null;
  /** The hash of the tool's schema. */
  tool_schema?: string | null;
  /** The workspace. */
  workspace?: string | null;
};

/** What a test of the rules assumed. */
export type RuleTested = {
  /** What the action does. */
  act: ActKind;
  /** The agent; without one, rules for one agent don't apply. */
  agent?: string | null;
  /** The conversation. */
  conversation?: string | null;
  /** The folder. */
  cwd?: string | null;
  /** Whether links count as followed. */
  links?: boolean;
  /** The tool. */
  tool: string;
  /** The workspace. */
  workspace?: string | null;
};

/** What a rule does. It has exactly one of `command`, `preset`, `words`, `tool` and `level`. */
export type RuleWhat = {
  /** Only for this agent, by id or name. */
  agent?: string | null;
  /** This command line, word for word. */
  command?: string | null;
  /** Only in this conversation, by id or name. */
  conversation?: string | null;
  /** With `command` or `preset`: only in this folder (absolute path). A preset that only reads
   * also applies below it. */
  cwd?: string | null;
  /** Only for agents that speak this dialect. */
  dialect?: string | null;
  effect?: RuleEffect | null;
  /** The level for everything: `deny`, `ask`, `allow-list` or `full`. */
  level?: string | null;
  /** Only asks for which a program next to the agent followed symbolic links (`action.links`). */
  links?: boolean;
  /** With `level`: when to ask: `always`, `on-miss` or `off`. */
  mode?: string | null;
  /** With `command`: only if the agent does not report its folder. */
  no_cwd?: boolean;
  /** A note by the person or admin who made it. */
  note?: string | null;
  /** With `tool`: conditions on its input. */
  only?: RuleOnly[] | null;
  /** Every command of this preset. */
  preset?: string | null;
  /** Whether it is a shadow rule, which decides nothing and only records what it would do. */
  shadow?: boolean;
  /** This tool; with `command` or `preset`, only when this tool runs it. */
  tool?: string | null;
  /** Every command that starts with these words. */
  words?: string[] | null;
  /** Only in this workspace. */
  workspace?: string | null;
};

/** All rules that were not revoked. */
export type Rules = {
  /** The rules, oldest first. */
  rules: RuleRow[];
};

/** What the rules decide, and why. */
export type RulingRow = {
  /** The reasons: one for each command, rule or level that mattered. */
  because: BecauseRow[];
  ended_by?: By | null;
  /** The commands of the line; empty if it is not a plain command. */
  parts: string[];
  /** The reason as one line. */
  reason: string;
  /** The rule that decided. */
  rule?: string | null;
  /** `allow`, `deny` or `ask`. */
  ruling: RulingWord;
  tested?: RuleTested | null;
};

/** The rulings. */
export type RulingWord = 'allow' | 'deny' | 'ask';

/** How a turn ended, if it failed or was stopped. */
export type SayEnd = 'failed' | 'stopped';

/** Adds text of the agent to a conversation. */
export type SayFrame = {
  /** The conversation. */
  conversation: string;
  /** Whether the agent's turn is done. */
  done?: boolean;
  ended?: SayEnd | null;
  /** A reference that a problem with this frame repeats. */
  ref?: string | null;
  /** The text. */
  text: string;
};

/** Part of a message that an agent is writing. The complete message follows as an entry. */
export type Saying = {
  /** When it happened. */
  at: WireTime;
  /** The conversation. */
  conversation: ConversationRef;
  /** The offset of this part in the message, in bytes of UTF-8. */
  from: number;
  /** The text of this part. */
  text: string;
};

/** The scope of a verdict. */
export type Scope = 'once' | 'conversation' | 'always';

/** A frame could not be processed. */
export type SocketProblem = {
  /** What went wrong. */
  problem: Problem;
  /** The reference of the frame. */
  ref?: string | null;
};

/** A part of `act.command`, in bytes. */
export type Span = {
  /** The end (exclusive). */
  end: number;
  /** The index of the reason. */
  reason: number;
  /** The start. */
  start: number;
};

/** A duration. */
export type SpanRow = {
  /** What it means, as a sentence. */
  about: string;
  /** What it is: its key in the settings, if it can be set. */
  key: string;
  /** How long; without limit if absent. */
  seconds?: number | null;
};

/** How long things wait and are kept. */
export type Spans = {
  /** One row each. */
  spans: SpanRow[];
};

/** Whether an ask is open. */
export type State = 'open' | 'closed';

/** Counts of asks, grouped. */
export type Stats = {
  /** The position in the journal that these counts reflect. */
  as_of: number;
  /** How they are grouped. */
  by: StatsBy;
  from?: WireTime | null;
  /** A row for each group. */
  rows: StatsRow[];
  to?: WireTime | null;
};

/** How asks are grouped. */
export type StatsBy = 'all' | 'day' | 'hour' | 'agent' | 'matter' | 'tool';

/** The counts of one group. */
export type StatsRow = {
  /** How many approvals people allowed. */
  allowed: number;
  /** How many were answered. */
  answered: number;
  /** How many were asked. */
  asked: number;
  /** How many answers came from a rule. */
  by_rule: number;
  /** How many approvals people denied. */
  denied: number;
  /** How many were dismissed. */
  dismissed: number;
  /** How many expired. */
  expired: number;
  /** The group. */
  key: string;
  /** The median time people took to answer. */
  median_ms?: number | null;
  /** The 90th percentile of the time people took to answer. */
  p90_ms?: number | null;
  /** The total time agents waited for people, without what rules answered. */
  waited_ms: number;
  /** How many were withdrawn. */
  withdrawn: number;
};

/** A step, and its entry in the journal. */
export type StepRow = {
  /** When it happened. */
  at: WireTime;
  /** The device. */
  device?: string | null;
  /** The hash (hexadecimal) that chains this entry to all earlier ones. */
  hash: string;
  /** `shown`: the person whose device it was. */
  person?: string | null;
  /** The position in the journal. */
  seq: number;
  /** What happened. */
  what: StepWhat;
};

/** The steps of an ask. */
export type StepWhat = 'asked' | 'shown' | 'closed' | 'answered_late' | 'sent' | 'confirmed';

/** The history of an ask. */
export type Story = {
  /** The steps, in order. */
  steps: StepRow[];
};

/** A suggested rule. Its parts are what `POST /v1/rules` accepts. */
export type SuggestionRow = RuleWhat & {
  /** The ids of asks that a person allowed and that it would have answered, newest first. */
  asks: string[];
  /** What it allows, as a sentence. */
  says: string;
};

/** Rules suggested from what people decided. */
export type Suggestions = {
  /** The suggestions, most useful first. */
  suggestions: SuggestionRow[];
};

/** Subscribes to commands for the agent's program. */
export type TakeControlsFrame = {
  /** The conversations. */
  conversations: Record<string, never>;
  /** A reference that a problem with this frame repeats. */
  ref?: string | null;
};

/** Subscribes to messages of people. */
export type TakeTurnsFrame = {
  /** The conversations. */
  conversations: Record<string, never>;
  /** A reference that a problem with this frame repeats. */
  ref?: string | null;
};

/** The formats of text. */
export type TextFormat = 'email' | 'uri' | 'date' | 'date_time';

/** A ticket: valid once, for a short time. */
export type Ticket = {
  /** When it expires. */
  expires_at: WireTime;
  /** The value for `?ticket=`. */
  ticket: string;
};

/** A new token with its secret, which is shown only once. */
export type TokenMade = {
  /** The id. */
  id: string;
  /** When it was made. */
  made_at: WireTime;
  /** Its name. */
  name: string;
  /** The person who owns it. */
  person?: string | null;
  /** Its role. */
  role: Role;
  /** The secret. */
  token: string;
};

/** A token, without its secret. */
export type TokenRow = {
  expires_at?: WireTime | null;
  /** The id. */
  id: string;
  last_used_at?: WireTime | null;
  /** When it was made. */
  made_at: WireTime;
  /** Its name. */
  name: string;
  /** The person who owns it. */
  person?: string | null;
  /** Whether this device gets push notifications. */
  push?: boolean;
  /** Its role. */
  role: Role;
  /** The id of the other token of the same device; revoking that one revokes this one. */
  with?: string | null;
};

/** The valid tokens. */
export type Tokens = {
  /** The rows. */
  tokens: TokenRow[];
};

/** The state of an agent's turn in a conversation. */
export type Turn = 'idle' | 'running' | 'waiting';

/** The state of an agent's turn changed. */
export type TurnChange = {
  /** When it happened. */
  at: WireTime;
  /** The conversation. */
  conversation: ConversationRef;
  /** The new state. */
  turn: Turn;
};

/** How a turn ended. */
export type TurnEnd = 'done' | 'failed' | 'lost' | 'stopped';

/** A message from a person. */
export type TurnEvent = {
  /** The conversation, by the agent's name for it. */
  conversation: string;
  /** The id of the message. */
  message: string;
  /** The text. */
  text: string;
};

/** True or false. */
export type Verdict = {
  /** Whether it is allowed. */
  allow: boolean;
  /** The changed input; only when allowing. */
  input?: string | null;
  /** A note from the person. */
  note?: string | null;
  /** The scope; `once` by default. */
  scope?: Scope;
  /** Whether to end the agent's turn as well; only when denying, and if the ask has `stop`. */
  stop?: boolean;
};

/** The result of checking the whole journal. */
export type VerifyReport = {
  /** The number of events whose text was erased. */
  erased: number;
  /** The number of events. */
  events: number;
  /** The problems found; empty if there are none. */
  faults: string[];
};

/** Something that is wrong with the request. */
export type Violation = {
  /** What is wrong. */
  message: string;
  /** The place, as a JSON pointer. */
  path: string;
};

/** A number, kept as its exact text */
export type WireNumber = number;

/** RFC 3339 in UTC with milliseconds */
export type WireTime = string;

/** Withdraws an ask. */
export type WithdrawFrame = {
  /** The id of the ask. */
  id: string;
  /** The reason. */
  note?: string | null;
  /** A reference that the reply repeats. */
  ref?: string | null;
};

/** Withdraws an ask. */
export type WithdrawRequest = {
  /** The reason. */
  note?: string | null;
};
