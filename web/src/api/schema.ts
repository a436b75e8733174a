// Written by tools/schema.mjs from the server's openapi.json. Not to be edited.

/** What an action does. Which keys are there depends on `kind`. */
export type Act = {
  /** `shell`: the command line. */
  command?: string | null;
  /** `write`: what would be in the file. */
  content?: string | null;
  /** Which kind. */
  kind: ActKind;
  /** `edit`: what would be there. */
  new?: string | null;
  /** `edit`: what is there. */
  old?: string | null;
  /** `edit`, `write`: which file. */
  path?: string | null;
};

/** The kinds of acts. */
export type ActKind = 'shell' | 'edit' | 'write' | 'other';

/** An action as it is shown. */
export type Action = {
  /** What was recognised in it. */
  act: Act;
  /** Where it would run. */
  cwd?: string | null;
  /** What devices must honour. */
  flags: Flag[];
  /** Its input, as the exact text. */
  input: string;
  links?: Links | null;
  /** What the agent says about it. */
  reason?: string | null;
  /** Why, most serious first. */
  reasons: string[];
  /** How dangerous it is. */
  risk: Risk;
  /** Which parts of `act.command` the reasons are about. */
  spans: Span[];
  /** The tool's name. */
  tool: string;
  /** The hash of the tool's schema, where the asker tells it. */
  tool_schema?: string | null;
};

/** An agent came or went. */
export type AgentChange = {
  /** The agent. */
  agent: AgentRow;
  /** When. */
  at: WireTime;
};

/** What an agent receives. */
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

/** What an agent sends. */
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

/** Who asks. */
export type AgentRef = {
  /** Whether it can be reached now. */
  connected: boolean;
  /** The language it speaks. */
  dialect: string;
  /** Our id. */
  id: string;
  /** What it calls itself. */
  name: string;
};

/** One agent. */
export type AgentRow = {
  /** Whether it can be reached now. */
  connected: boolean;
  /** The language it speaks. */
  dialect: string;
  /** Our id. */
  id: string;
  last_ask_at?: WireTime | null;
  left_at?: WireTime | null;
  /** How many connections it has; one that asks by calling has none. */
  links?: number;
  /** What it calls itself. */
  name: string;
  /** How many of its asks wait. */
  open: number;
  since?: WireTime | null;
  /** Whether a connection of it takes turns in new conversations: then a person can begin one with it. */
  takes_turns?: boolean;
  /** The id of the token it comes in with. */
  token: string;
  unreadable_at?: WireTime | null;
};

/** The agents that have come. */
export type Agents = {
  /** One row each. */
  agents: AgentRow[];
};

/** Whether the server can be used, for everyone to see. */
export type Alive = {
  /** Why, when it is not `ok`. */
  detail?: string | null;
  /** `ok`, `try_later` while nothing can be written or lists are rebuilt, or `damaged` while an entry of
   * the journal cannot be read. */
  status: string;
  /** The version of the server. */
  version: string;
};

/** What was said: exactly one of the three. */
export type Answer = {
  /** One reply for each answered question. */
  replies: Reply[];
} | {
  /** Yes or no to an action. */
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
  /** Which ask. */
  id: string;
  /** What the reply to this frame repeats. */
  ref?: string | null;
  /** One reply for each answered question. */
  replies?: Reply[] | null;
  rule?: RuleChoice | null;
  verdict?: Verdict | null;
};

/** An answer: the digest of what was shown, and exactly one of the three. */
export type AnswerRequest = {
  /** The digest of the ask as it was shown. */
  digest: string;
  fields?: Fields | null;
  /** One reply for each answered question. */
  replies?: Reply[] | null;
  rule?: RuleChoice | null;
  verdict?: Verdict | null;
};

/** An ask as it stands. Exactly one of `questions`, `action` and `form` is there. */
export type Ask = {
  action?: Action | null;
  /** Who asks. */
  agent: AgentRef;
  /** When it was taken in. */
  asked_at: WireTime;
  conversation?: ConversationRef | null;
  deadline?: WireTime | null;
  /** How far the news of its outcome has got. */
  delivery: Delivery;
  /** What a person sees, hashed; an answer repeats it. */
  digest: string;
  /** `false` where the agent's language cannot carry an edited input: then a yes must be to the
   * input as it is. Absent everywhere else. */
  edit?: boolean | null;
  form?: Form | null;
  /** Our id. */
  id: string;
  late?: Late | null;
  /** What it is about. */
  matter: Matter;
  outcome?: Outcome | null;
  prefill?: Prefill | null;
  /** Questions to answer. */
  questions?: Question[] | null;
  /** How far a yes may reach. */
  scopes: Scope[];
  /** The same without who and where. */
  shape: string;
  /** Whether it waits or has ended. */
  state: State;
  /** Whether a no may also end the agent's turn: then a dismissal, or a verdict that denies, may
   * carry `stop`. Absent where the agent cannot be told. */
  stop?: boolean;
  /** One line above it. */
  title?: string | null;
  /** Whether the entry of the ask or of its outcome in the journal is damaged. Such an ask can be
   * dismissed or withdrawn, and never answered; `questions` has one that says so. Absent otherwise. */
  unreadable?: boolean;
  /** The asker's own id. */
  wire_id?: string | null;
  /** Where the agent works, as it claims. */
  workspace?: string | null;
};

/** An ask as it stands after an event. */
export type AskChange = {
  /** The ask. */
  ask: Ask;
  /** When. */
  at: WireTime;
  /** Where in the journal. */
  seq: number;
};

/** Asks. */
export type AskFrame = {
  /** What is asked. */
  ask: NewAsk;
  /** The key under which a second try finds this ask. */
  key?: string | null;
  /** What the reply to this frame repeats. */
  ref?: string | null;
};

/** A page of asks. */
export type AskPage = {
  /** The place in the journal that this page knows. */
  as_of: number;
  /** The asks. */
  asks: Ask[];
  /** Where the next page begins; null on the last one. */
  next?: string | null;
};

/** An ask is on disk. */
export type AskedEvent = {
  /** Its digest. */
  digest: string;
  /** Our id of the ask. */
  id: string;
  /** What the frame that asked was called. */
  ref?: string | null;
};

/** A copy was written. */
export type BackupMade = {
  /** Where it is. */
  file: string;
};

/** Asks for a copy of the journal. */
export type BackupRequest = {
  /** Where to write it on the server's machine: an absolute path that does not exist yet. */
  file: string;
};

/** One thing that mattered. */
export type BecauseRow = {
  /** Which of the commands, counted from 0. */
  part?: number | null;
  /** Which rule. */
  rule?: string | null;
  /** What. */
  why: string;
};

/** Who ended an ask: a person on a device, a rule, the agent, or the clock. */
export type By = {
  /** Which agent. */
  agent?: string | null;
  /** Whether it was the clock. */
  clock?: boolean;
  /** On which device. */
  device?: string | null;
  /** Which person. */
  person?: string | null;
  /** Which rule. */
  rule?: string | null;
  /** Which version of that rule. */
  version?: number | null;
};

/** One thing to choose. */
export type Choice = {
  /** A line below it. */
  description?: string | null;
  /** What is shown and returned. */
  label: string;
  /** Something to look at while choosing. */
  preview?: string | null;
  /** Whether the agent would take this one. */
  recommended?: boolean;
};

/** How much space was given back. */
export type CompactReport = {
  /** And after. */
  after: number;
  /** Bytes of the files before. */
  before: number;
  /** Bytes that come back by themselves once no other program reads the files. */
  held?: number;
  /** Bytes that can be given back only while the server is stopped. */
  stuck: number;
};

/** Says that the outcome of an ask has arrived. */
export type ConfirmFrame = {
  /** Which ask. */
  id: string;
  /** What a problem with this frame repeats. */
  ref?: string | null;
};

/** A person wants something of the agent's program. */
export type ControlEvent = {
  /** Who wants it. */
  by: string;
  /** What. */
  control: ControlWord;
  /** In which conversation, by the agent's name for it. */
  conversation: string;
  /** What `controlled` repeats; counted on each connection. */
  id: number;
  /** Which mode, when one is to be set: the program's own name for it. */
  mode?: string | null;
};

/** What a person may want of an agent's program. */
export type ControlWord = 'interrupt' | 'set_mode';

/** Says that it did what was wanted, or why not. */
export type ControlledFrame = {
  /** The id of what was wanted. */
  id: number;
  /** Why it was not done; absent when it was. */
  problem?: string | null;
  /** What a problem with this frame repeats. */
  ref?: string | null;
};

/** The conversations there are, those of the latest entry first. */
export type ConversationList = {
  /** The place in the journal this page is true for. */
  as_of: number;
  /** One row each. */
  conversations: ConversationRow[];
  /** Where the next page begins; null on the last one. */
  next?: number | null;
};

/** A conversation. */
export type ConversationRef = {
  /** Our id. */
  id: string;
  /** What its agent calls it. */
  name: string;
};

/** One conversation. */
export type ConversationRow = {
  /** Its agent. */
  agent: AgentRef;
  /** Whether the agent's program can be told to stop. */
  can_stop?: boolean;
  /** Our id. */
  id: string;
  /** When something last happened in it. */
  last_at: WireTime;
  /** What its agent calls it. */
  name: string;
  /** How many of its asks are open. */
  open: number;
  /** How many messages wait for the agent. */
  queued: number;
  /** What the agent does in it. */
  turn: Turn;
};

/** How far the news of one outcome has got. */
export type Delivered = {
  /** When it got there. */
  at: WireTime;
  /** How far. */
  delivery: Delivery;
  /** Which ask. */
  id: string;
};

/** How far the news of an outcome has got. */
export type Delivery = 'owed' | 'sent' | 'confirmed';

/** How far the news of some outcomes has got. */
export type DeliveryChange = {
  /** The asks whose news has got further since. */
  asks: Delivered[];
  /** When. */
  at: WireTime;
  /** Where in the journal. */
  seq: number;
};

/** What a device sends. */
export type DeviceFrame = (AnswerFrame & {
  do: 'answer';
}) | (DismissFrame & {
  do: 'dismiss';
});

/** Puts an ask aside. */
export type DismissFrame = {
  /** The digest of the ask as it was shown. */
  digest: string;
  /** Which ask. */
  id: string;
  /** Why. */
  note?: string | null;
  /** What the reply to this frame repeats. */
  ref?: string | null;
  /** Whether the agent's turn is to end with it; only where the ask says `stop`. */
  stop?: boolean;
};

/** Puts an ask aside without an answer. */
export type DismissRequest = {
  /** The digest of the ask as it was shown. */
  digest: string;
  /** Why. */
  note?: string | null;
  /** Whether the agent's turn is to end with it; only where the ask says `stop`. */
  stop?: boolean;
};

/** What a device sent is done. */
export type Done = {
  /** The ask as it stands now. */
  ask: Ask;
  /** What the device's frame was called. */
  ref?: string | null;
};

/** What is in a conversation, in order. */
export type Entries = {
  /** The place in the journal this page is true for; the feed goes on from there. */
  as_of: number;
  /** The conversation. */
  conversation: ConversationRef;
  /** One each. */
  entries: Entry[];
  /** Where the next page begins: `after` when it was read forwards, `before` when backwards;
   * null on the last one. */
  next?: number | null;
  /** What the agent has said of a message that is not complete. */
  saying?: string | null;
  /** Whether the agent is connected and takes messages in it; otherwise a message is queued. */
  takes_messages?: boolean;
  /** What the agent does in it. */
  turn: Turn;
};

/** One thing in a conversation. */
export type Entry = {
  ask?: Ask | null;
  /** When. */
  at: WireTime;
  /** The id of the conversation. */
  conversation: string;
  /** `message`: on which device. */
  device?: string | null;
  end?: TurnEnd | null;
  /** `message`, `said`, `note`: our id. */
  id?: string | null;
  /** What it is. */
  kind: EntryKind;
  /** `message`: which person said it. */
  person?: string | null;
  /** Where in the journal. An entry that comes again with the same place replaces the first. */
  seq: number;
  state?: MessageState | null;
  /** `note`: how far it is: `running`, `done` or `failed`. */
  status?: string | null;
  /** `message`, `said`, `note`: the words. */
  text?: string | null;
  /** `note`: which tool. */
  tool?: string | null;
};

/** A new entry of a conversation, or a message of which more is known. */
export type EntryChange = {
  /** When. */
  at: WireTime;
  /** The entry. */
  entry: Entry;
  /** Where in the journal. */
  seq: number;
};

/** What an entry is. */
export type EntryKind = 'message' | 'said' | 'note' | 'ask' | 'turn_ended';

/** What a device hears. */
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

/** One field. Which keys are there depends on `kind`. */
export type Field = {
  default?: FieldValue | null;
  /** A line below it. */
  description?: string | null;
  format?: TextFormat | null;
  /** What it takes. */
  kind: FieldKind;
  max?: WireNumber | null;
  /** `many_of`: most that may be chosen. */
  max_items?: number | null;
  /** `text`: longest length in characters. */
  max_length?: number | null;
  min?: WireNumber | null;
  /** `many_of`: fewest that must be chosen. */
  min_items?: number | null;
  /** `text`: shortest length in characters. */
  min_length?: number | null;
  /** The key the answer uses. */
  name: string;
  /** `one_of`, `many_of`: the values. */
  options?: FieldChoice[] | null;
  /** Whether the form cannot be sent without it. */
  required?: boolean;
  /** What a person reads instead of the name. */
  title?: string | null;
};

/** One value to choose. */
export type FieldChoice = {
  /** What a person reads instead. */
  title?: string | null;
  /** What is returned. */
  value: string;
};

/** What a field takes. */
export type FieldKind = 'text' | 'number' | 'integer' | 'boolean' | 'one_of' | 'many_of' | 'secret';

export type FieldValue = string | number | boolean | string[] | {
  secret: boolean;
};

export type Fields = {
  [name: string]: string | number | boolean | string[] | {
    secret: boolean;
  };
};

/** What devices must honour. */
export type Flag = 'default_no' | 'no_always' | 'needs_person';

/** What was erased, and what was left alone. */
export type ForgetReport = {
  /** Asks that were erased. */
  asks: number;
  /** Messages, words of agents and tool notes that were erased. */
  entries: number;
  /** Open asks that were left alone. */
  left_open: number;
  /** Messages that wait for their agent and were left alone. */
  left_queued: number;
  /** Conversations that were left alone because a turn runs in them. */
  left_running: number;
};

/** What to erase: everything that fits all that is given. At least one of them is needed. */
export type ForgetRequest = {
  /** Only of this agent, by its id or name. */
  agent?: string | null;
  before?: WireTime | null;
  /** Only of this conversation, by its id or name. */
  conversation?: string | null;
};

/** A form: `fields`, or a `url`. */
export type Form = {
  /** The fields to fill in. */
  fields?: Field[] | null;
  /** What the agent says it needs and why. */
  message: string;
  /** The page to visit. */
  url?: string | null;
};

/** One vetted form. */
export type FormRow = {
  /** Which commands it covers. */
  command: string;
  /** What it is called. */
  name: string;
  /** What it means. */
  says: string;
};

/** How the server is, with its numbers. */
export type FullHealth = Health & ({
  /** Devices that follow the feed. */
  devices: number;
  /** The last published place in the journal. */
  head: number;
  /** Connections of agents. */
  links: number;
  /** Outcomes on their way to their agents. */
  owed: number;
  verified?: VerifyReport | null;
  /** How far the lists of closed asks have got. */
  viewed: number;
});

/** How the server is. */
export type Health = {
  /** Why, when it is not well. */
  detail?: string | null;
  /** What a crash can cost: `power-loss-safe`, `process-crash-safe` or `UNSAFE (why)`. */
  durability: string;
  /** Which life of the state this is. */
  epoch: string;
  /** The journal. */
  journal: JournalHealth;
  /** How many asks wait. */
  open: number;
  /** When the server started. */
  started_at: WireTime;
  /** In a word. */
  state: HealthState;
  /** What is wrong with the state now, most serious first; absent when all is well. */
  troubles?: string[];
  /** The version of the server. */
  version: string;
};

/** How the server is, in a word. */
export type HealthState = 'ok' | 'try_later' | 'damaged';

/** How the journal is. */
export type JournalHealth = {
  /** Up to which place its chain was checked since the start. */
  checked: number;
  /** The last place in it. */
  seq: number;
  /** What the check has found so far. */
  state: JournalState;
};

/** What a check of the journal has found. */
export type JournalState = 'checking' | 'sound' | 'damaged';

/** An answer that came after the deadline. */
export type Late = {
  /** What was said. */
  answer: Answer;
  /** When. */
  at: WireTime;
  /** Who said it. */
  by: By;
};

/** What a program beside the agent found when it followed the links in the paths of an action. */
export type Links = {
  /** Paths that lie in the workspace by their text and lead out of it through a link: no rule
   * allows an action with one. */
  escapes?: string[];
  /** Whether the working folder and every path that the action names were followed. */
  resolved: boolean;
};

/** One node. */
export type ListedNode = {
  /** The last place in the journal that it has applied. */
  applied: number;
  /** Its name. */
  node: string;
  /** When it was last heard of. */
  seen_at: WireTime;
  /** How it is. */
  state: NodeStanding;
  /** Where it listens; absent until it does. */
  url?: string | null;
  /** Its version. */
  version: string;
};

/** The token of this device; shown once. */
export type LoggedIn = {
  /** An admin's token of the same device, when the link was for one: it goes with the other. */
  admin?: string | null;
  /** What the device is called. */
  device: string;
  /** Whose it is. */
  person: string;
  /** The token. */
  token: string;
};

/** A one-time code: good once, for two minutes. */
export type LoginCode = {
  /** The code. */
  code: string;
  /** When it is no longer good. */
  expires_at: WireTime;
  /** The address as a QR code: one text for each row, `#` for dark. */
  qr?: string[] | null;
  /** The page with the code in its fragment, which browsers do not send. */
  url: string;
};

/** Exchanges a one-time code for a token. */
export type LoginRequest = {
  /** The code from the link. */
  code: string;
  /** What this device is to be called. */
  device?: string | null;
};

/** How a device may draw a question. */
export type Look = 'list' | 'buttons' | 'dropdown';

/** A place in the journal. */
export type Mark = {
  /** Which place. */
  seq: number;
};

/** What an ask is about. */
export type Matter = 'questions' | 'approval' | 'form';

/** What became of it. */
export type MessageSent = {
  /** Where it was said. */
  conversation: ConversationRef;
  /** Our id of the message. */
  message: string;
  /** Whether the agent has it. */
  state: MessageState;
};

/** Whether the agent has a message. */
export type MessageState = 'sent' | 'queued' | 'removed';

/** An action as an agent hands it in. */
export type NewAction = {
  act?: Act | null;
  /** Where it would run. */
  cwd?: string | null;
  /** What devices must honour. */
  flags?: Flag[];
  /** Its input, as the exact text. */
  input: string;
  links?: Links | null;
  /** Why the agent wants it. */
  reason?: string | null;
  risk?: Risk | null;
  /** The tool's name. */
  tool: string;
  /** `sha256:` and the hash of the tool's schema, as canonical JSON (RFC 8785): rules are bound to
   * it, so that a changed schema voids them. Without it only exactly one input of a tool of an MCP
   * server can be allowed. */
  tool_schema?: string | null;
};

/** An ask that an agent hands in. Exactly one of `questions`, `action` and `form` belongs in it. */
export type NewAsk = {
  action?: NewAction | null;
  /** What the asker goes by. */
  agent?: string | null;
  /** The conversation it belongs to, by the agent's own name for it. */
  conversation?: string | null;
  form?: Form | null;
  /** What it is about. */
  matter: Matter;
  /** Questions to answer. */
  questions?: NewQuestion[] | null;
  /** Whether the agent ends its turn when the outcome says `stop`. */
  stop?: boolean;
  /** How many seconds the agent waits; for ever when absent. */
  timeout_s?: number | null;
  /** One line above it. */
  title?: string | null;
  /** The agent's own id of it. */
  wire_id?: string | null;
  /** Where the agent works. */
  workspace?: string | null;
};

/** Asks for a one-time code. */
export type NewLogin = {
  /** Whether the device is to get an admin's token beside the person's. */
  admin?: boolean;
  /** Who is to log in; the local person when absent. */
  person?: string | null;
};

/** What a person says in a conversation. */
export type NewMessage = {
  /** Whose conversation, by id or name of the agent: for a new one, and where several agents use
   * the same name. */
  agent?: string | null;
  /** The words. */
  text: string;
};

/** Asks for a pairing code. */
export type NewPairing = {
  /** The dialect whose program is to be paired. */
  dialect: string;
  /** What the token is to be called; named after the dialect when absent, and with a number behind
   * it when there is one of that name. */
  name?: string | null;
};

/** Asks for notices to be pushed to this device, as its browser subscribed. */
export type NewPush = {
  /** Where its notices go. */
  endpoint: string;
  /** What only it can read them with. */
  keys: PushKeys;
  /** Whether words of the ask may be in a notice; otherwise it says only that somebody asks. */
  text?: boolean;
};

/** One question that an agent hands in. */
export type NewQuestion = {
  /** What can be chosen. */
  choices?: Choice[];
  /** What is set beforehand. */
  default?: string[];
  /** Whether words of the person's own are welcome; yes when absent. */
  free_text?: boolean;
  /** How a device may draw it. */
  look?: Look;
  pick?: Pick | null;
  /** Whether the ask cannot be answered without it. */
  required?: boolean;
  /** A short label shown as a chip. */
  tag?: string | null;
  /** The question itself. */
  text: string;
};

/** A rule to be made. */
export type NewRule = {
  /** Only for this agent, by id or name. */
  agent?: string | null;
  /** This command line, word for word. */
  command?: string | null;
  /** Only in this conversation, by id or name. */
  conversation?: string | null;
  /** With `command` or `form`: only in this folder, by its whole path. A preset that only reads holds
   * below it too. */
  cwd?: string | null;
  /** Only for agents that speak this language. */
  dialect?: string | null;
  effect?: RuleEffect | null;
  /** How long it holds; 30 days when absent, for ever for `deny` and `level`. */
  expires_s?: number | null;
  /** Every command of this preset. */
  form?: string | null;
  /** How careful to be with everything; for admins. */
  level?: string | null;
  /** Only asks with which a program beside the agent says that it followed links (`action.links`). */
  links?: boolean;
  /** Commands, or inputs of the tool, that it must cover, or it is not made. */
  match?: string[];
  /** With `level`: when to ask; `on-miss` when absent. */
  mode?: string | null;
  /** With `command`: only where the agent does not tell its folder. */
  no_cwd?: boolean;
  /** Commands, or inputs of the tool, that it must not cover. */
  not_match?: string[];
  /** Why. */
  note?: string | null;
  /** With `tool`: what its input must hold. */
  only?: RuleOnly[] | null;
  /** Whether it only stands by: it answers nothing, and what it would have done can be told. */
  shadow?: boolean;
  /** This tool; with `command` or `form`, only as this tool runs it. */
  tool?: string | null;
  /** Every command that begins with these words; to allow is for admins. */
  words?: string[] | null;
  /** Only in this workspace. */
  workspace?: string | null;
};

/** Asks for a ticket. */
export type NewTicket = {
  /** What it is to open: `feed`, `sse`, or a dialect's door for people (`chat`, `nebo`,
   * `claude-control`). */
  for: string;
};

/** Asks for a new token. */
export type NewToken = {
  /** What it is to be called; for a person, the device. */
  name: string;
  /** Whose it is to be; only for people. */
  person?: string | null;
  /** What it is to be good for. */
  role: Role;
};

/** The nodes. */
export type NodeList = {
  /** Each of them, by its name: those that run, and those that did until lately. */
  nodes: ListedNode[];
};

/** How a node is. */
export type NodeStanding = 'fresh' | 'silent' | 'gone';

/** Notes what a tool does. */
export type NoteFrame = {
  /** In which conversation. */
  conversation: string;
  /** What a problem with this frame repeats. */
  ref?: string | null;
  /** How far it is. */
  status?: string | null;
  /** What it does. */
  text?: string;
  /** Which tool. */
  tool: string;
};

/** For whom an offer may be, and what it would have done. */
export type OfferReach = {
  /** How many of them it would have allowed. */
  allowed: number;
  /** How many of the last asks were looked at. */
  asks: number;
  /** Which of those a person had denied. */
  denied: string[];
  /** How many other asks wait that it would answer at once. */
  open: number;
  /** For whom. */
  reach: RuleReach;
};

/** One thing that may be allowed. */
export type OfferRow = {
  /** What it is called. */
  form: string;
  /** For whom it may be, and what it would have done to the last asks. */
  reaches: OfferReach[];
  /** What it means, as a sentence. */
  says: string;
};

/** What may be allowed for longer than once; empty when nothing may. */
export type Offers = {
  /** The narrowest first. */
  offers: OfferRow[];
};

/** The asks that a device has on screen. */
export type OnScreen = {
  /** Their ids, at most 200. */
  asks: string[];
};

/** How an ask ended. */
export type Outcome = {
  answer?: Answer | null;
  /** When. */
  at: WireTime;
  /** Who ended it. */
  by: By;
  /** In which of the four ways. */
  kind: OutcomeKind;
  /** `dismissed`, `withdrawn`: why. */
  note?: string | null;
  /** `dismissed`: whether the agent's turn is to end with it. */
  stop?: boolean;
};

/** An ask has ended. */
export type OutcomeEvent = {
  /** Which ask. */
  id: string;
  late?: Late | null;
  /** How. */
  outcome: Outcome;
  /** The asker's own id of it. */
  wire_id?: string | null;
};

/** The four ways. */
export type OutcomeKind = 'answered' | 'dismissed' | 'expired' | 'withdrawn';

/** A pairing code: good once, for ten minutes. */
export type Pairing = {
  /** Six digits. */
  code: string;
  /** What is to be copied to the program, code included. */
  copied?: string;
  /** The dialect it is for. */
  dialect: string;
  /** When it is no longer good. */
  expires_at: WireTime;
  /** What a person does with it, line by line. */
  lines?: string[];
  /** The same as a QR code: one text for each row, `#` for dark. */
  qr?: string[] | null;
};

/** The people who may answer. */
export type People = {
  /** One row each. */
  people: PersonRow[];
};

/** One person. */
export type PersonRow = {
  /** The names of their devices. */
  devices: string[];
  /** Their name. */
  name: string;
};

/** How a question is answered. */
export type Pick = 'one' | 'many' | 'text';

/** A late answer to an equal question, offered to a person as the start of their answer. */
export type Prefill = {
  /** What was said. */
  answer: Answer;
  /** The expired ask that it was given to. */
  ask: string;
  /** When. */
  at: WireTime;
  /** Who said it. */
  by: By;
};

/** What went wrong: `application/problem+json`. */
export type Problem = {
  ask?: Ask | null;
  /** The kind in a word. */
  code: ProblemCode;
  /** What went wrong this time. */
  detail?: string | null;
  /** What to do. */
  hint?: string | null;
  /** Whether an answer that came too late was kept. */
  kept?: boolean | null;
  /** The HTTP status. */
  status: number;
  /** The kind in a sentence. */
  title: string;
  /** A name for this kind of problem. */
  type: string;
  /** Everything that was wrong with what was sent. */
  violations?: Violation[];
};

/** Every kind of problem. */
export type ProblemCode = 'bad_json' | 'unauthorized' | 'forbidden' | 'not_found' | 'already_closed' | 'digest_mismatch' | 'key_conflict' | 'expired' | 'too_large' | 'invalid' | 'scope_unavailable' | 'slow_down' | 'try_later';

/** How sending a notice went. */
export type PushHow = 'taken' | 'gone' | 'again' | 'refused';

/** The keys of a subscription, in base64 for addresses. */
export type PushKeys = {
  /** Its secret. */
  auth: string;
  /** Its public key. */
  p256dh: string;
};

/** What became of a notice. */
export type PushLast = {
  /** When. */
  at: WireTime;
  /** How it went. */
  how: PushHow;
  /** What the push service answered, where that says more. */
  status?: number | null;
};

/** How a device is told. */
export type PushRow = {
  /** Where its notices go. */
  endpoint: string;
  last?: PushLast | null;
  /** How many notices its push service took. */
  sent: number;
  /** Since when. */
  since: WireTime;
  /** Whether words of the ask are in them. */
  text: boolean;
};

/** Whether notices are pushed to this device. */
export type PushState = {
  /** The key by which its browser knows this server. */
  key: string;
  subscription?: PushRow | null;
};

/** One question. */
export type Question = {
  /** What can be chosen. */
  choices: Choice[];
  /** What is set beforehand. */
  default: string[];
  /** Whether words of the person's own are welcome. */
  free_text: boolean;
  /** How a device may draw it. */
  look: Look;
  /** How it is answered. */
  pick: Pick;
  /** Whether the ask cannot be answered without it. */
  required: boolean;
  /** A short label shown as a chip. */
  tag?: string | null;
  /** The question itself. */
  text: string;
};

/** Whether a server takes calls, for load balancers. */
export type Readiness = {
  /** Whether it does. */
  ready: boolean;
  /** Why not. */
  reason?: string | null;
};

/** Where the feed begins. */
export type Ready = {
  /** On which of their devices. */
  device: string;
  /** Which life of the state this is. Another one than before means that a backup was restored:
   * places mean something else now, so read the lists again. */
  epoch: string;
  /** Whose feed it is. */
  person: string;
  /** Which place. */
  seq: number;
};

/** The answer to one question. */
export type Reply = {
  /** The labels that were chosen. */
  labels?: string[];
  /** A note beside the answer. */
  note?: string | null;
  /** The person's own words. */
  other?: string | null;
  /** Which question, counted from 0. */
  question: number;
};

/** How dangerous an action is. */
export type Risk = 'low' | 'medium' | 'high';

/** What a token is good for. */
export type Role = 'agent' | 'person' | 'admin';

/** A rule changed. */
export type RuleChange = {
  /** When. */
  at: WireTime;
  /** The id of the rule. */
  rule: string;
  /** Where in the journal. */
  seq: number;
};

/** What rule a verdict makes that reaches further than once. */
export type RuleChoice = {
  /** How long it holds; 30 days when absent. */
  expires_s?: number | null;
  /** Which of the offers; `exact` when absent. */
  form?: string | null;
  reach?: RuleReach | null;
};

/** What a rule does. */
export type RuleEffect = 'allow' | 'deny' | 'level';

/** A whole file of rules: all of them are made, or none. */
export type RuleFile = {
  /** Whether every other rule is taken back with it. */
  replace?: boolean;
  /** The rules. */
  rules: NewRule[];
};

/** Who made a rule. */
export type RuleMaker = {
  /** Which admin's token. */
  admin?: string | null;
  /** On which device. */
  device?: string | null;
  /** Which person. */
  person?: string | null;
};

/** One thing that a tool's input must hold: `input`, or `schema`, or `file`, or `at` with one of the rest. */
export type RuleOnly = {
  /** Where in the input: a JSON pointer. */
  at?: string | null;
  /** The file, or the path at `at`, lies below this folder and is not hidden. */
  below?: string | null;
  /** It is yes or no. */
  boolean?: boolean | null;
  /** The file that is edited or written is this one. */
  file?: string | null;
  /** It is a web address at exactly this host, such as `docs.rs` for `https` at its usual port, or
   * with scheme and port, such as `http://127.0.0.1:8080`. */
  host?: string | null;
  /** The hash of the whole input. */
  input?: string | null;
  /** It is a whole number up to here; with `min`. */
  max?: number | null;
  /** It is a whole number from here; with `max`. */
  min?: number | null;
  /** It is this path. */
  path?: string | null;
  /** The hash of the tool's schema: the rule ends when it changes, or is no longer told. */
  schema?: string | null;
  /** It is this text. */
  text?: string | null;
};

/** What a rule did, or would have done, to the approvals that ended since it was made. */
export type RulePast = {
  /** Those of them to which a person said the opposite. */
  against: string[];
  /** How many approvals were looked at. */
  asks: number;
  /** How many of them it answers. */
  covered: number;
};

/** For whom a rule is. */
export type RuleReach = 'agent' | 'workspace' | 'conversation';

/** One rule. */
export type RuleRow = RuleWhat & ({
  /** Who made it: a person on a device, or an admin's token. */
  by: RuleMaker;
  expires_at?: WireTime | null;
  /** How many asks it has answered. */
  hits: number;
  /** Our id. */
  id: string;
  /** Why it answers nothing although it has not ended, and what to do. */
  idle?: string | null;
  last_used_at?: WireTime | null;
  /** Whether it holds now. */
  live: boolean;
  /** When. */
  made_at: WireTime;
  /** What it says, as a sentence. */
  says: string;
  /** Which version of it. */
  version: number;
});

/** An act to hold the rules against. */
export type RuleTest = {
  /** As this agent, by id or name. */
  agent?: string | null;
  /** A shell command. */
  command?: string | null;
  /** In this conversation, by id or name. */
  conversation?: string | null;
  /** Where it would run. */
  cwd?: string | null;
  /** The tool's input, as an agent would send it, instead of a command. */
  input?: string | null;
  /** Whether a program beside the agent follows links; when absent, it does if `cwd` is there. */
  links?: boolean | null;
  /** The tool's name; `Bash` when absent. */
  tool?: string | null;
  /** The hash of the tool's schema. */
  tool_schema?: string | null;
  /** In this workspace. */
  workspace?: string | null;
};

/** As whom and where rules were tested. */
export type RuleTested = {
  /** What was recognised in its input. */
  act: ActKind;
  /** As this agent; as no particular one when absent: then rules for one agent say nothing. */
  agent?: string | null;
  /** In this conversation. */
  conversation?: string | null;
  /** In this folder. */
  cwd?: string | null;
  /** As an ask with which a program beside the agent says that it followed links. */
  links?: boolean;
  /** The tool. */
  tool: string;
  /** In this workspace. */
  workspace?: string | null;
};

/** What a rule says. Exactly one of `command`, `form`, `words`, `tool` and `level` is there. */
export type RuleWhat = {
  /** Only for this agent, by id or name. */
  agent?: string | null;
  /** This command line, word for word. */
  command?: string | null;
  /** Only in this conversation, by id or name. */
  conversation?: string | null;
  /** With `command` or `form`: only in this folder, by its whole path. A preset that only reads holds
   * below it too. */
  cwd?: string | null;
  /** Only for agents that speak this language. */
  dialect?: string | null;
  effect?: RuleEffect | null;
  /** Every command of this preset. */
  form?: string | null;
  /** How careful to be with everything: `deny`, `ask`, `allow-list` or `full`. */
  level?: string | null;
  /** Only asks with which a program beside the agent says that it followed links (`action.links`). */
  links?: boolean;
  /** With `level`: when to ask: `always`, `on-miss` or `off`. */
  mode?: string | null;
  /** With `command`: only where the agent does not tell its folder. */
  no_cwd?: boolean;
  /** Why, in the maker's words. */
  note?: string | null;
  /** With `tool`: what its input must hold. */
  only?: RuleOnly[] | null;
  /** Whether it only stands by: it answers nothing, and what it would have done can be told. */
  shadow?: boolean;
  /** This tool; with `command` or `form`, only as this tool runs it. */
  tool?: string | null;
  /** Every command that begins with these words. */
  words?: string[] | null;
  /** Only in this workspace. */
  workspace?: string | null;
};

/** Every rule that was not taken back. */
export type Rules = {
  /** In the order in which they were made. */
  rules: RuleRow[];
};

/** What the rules say, and why. */
export type RulingRow = {
  /** Why, one entry for each command, rule or level that mattered. */
  because: BecauseRow[];
  ended_by?: By | null;
  /** The commands it was taken apart into; empty when it is no plain command. */
  parts: string[];
  /** Why, as one line. */
  reason: string;
  /** By which rule. */
  rule?: string | null;
  /** `allow`, `deny` or `ask`. */
  ruling: RulingWord;
  tested?: RuleTested | null;
};

/** The three rulings. */
export type RulingWord = 'allow' | 'deny' | 'ask';

/** How a turn ended that did not end well. */
export type SayEnd = 'failed' | 'stopped';

/** Says something in a conversation. */
export type SayFrame = {
  /** In which conversation. */
  conversation: string;
  /** Whether that was all for now. */
  done?: boolean;
  ended?: SayEnd | null;
  /** What a problem with this frame repeats. */
  ref?: string | null;
  /** What. */
  text: string;
};

/** A piece of what an agent is saying. The whole comes as an entry once it is complete. */
export type Saying = {
  /** When. */
  at: WireTime;
  /** Where. */
  conversation: ConversationRef;
  /** Where in the message the piece begins, in bytes of UTF-8. */
  from: number;
  /** The piece. */
  text: string;
};

/** How far a verdict reaches. */
export type Scope = 'once' | 'conversation' | 'always';

/** A frame could not be followed. */
export type SocketProblem = {
  /** Why. */
  problem: Problem;
  /** What the frame was called. */
  ref?: string | null;
};

/** A part of `act.command`, in bytes. */
export type Span = {
  /** The byte behind the last one. */
  end: number;
  /** The index of the reason that is about it. */
  reason: number;
  /** The first byte. */
  start: number;
};

/** One span of time. */
export type SpanRow = {
  /** What it means. */
  about: string;
  /** What it is about: its key in the settings, where it can be set. */
  key: string;
  /** How long; for ever when absent. */
  seconds?: number | null;
};

/** How long things wait and are kept. */
export type Spans = {
  /** One row each. */
  spans: SpanRow[];
};

/** Whether an ask waits. */
export type State = 'open' | 'closed';

/** Counts of asks, grouped. */
export type Stats = {
  /** The place in the journal that these counts know. */
  as_of: number;
  /** By what they are grouped. */
  by: StatsBy;
  from?: WireTime | null;
  /** One row for each group. */
  rows: StatsRow[];
  to?: WireTime | null;
};

/** By what asks are grouped. */
export type StatsBy = 'all' | 'day' | 'hour' | 'agent' | 'matter' | 'tool';

/** The counts of one group. */
export type StatsRow = {
  /** How many verdicts of people were a yes. */
  allowed: number;
  /** How many were answered. */
  answered: number;
  /** How many were asked. */
  asked: number;
  /** How many of the answers a rule gave. */
  by_rule: number;
  /** How many verdicts of people were a no. */
  denied: number;
  /** How many were put aside. */
  dismissed: number;
  /** How many lapsed. */
  expired: number;
  /** Which group. */
  key: string;
  /** How long half of the answers of people took at most. */
  median_ms?: number | null;
  /** How long nine of ten answers of people took at most. */
  p90_ms?: number | null;
  /** How long agents waited for people, all together: whatever a rule did not answer. */
  waited_ms: number;
  /** How many were taken back. */
  withdrawn: number;
};

/** One step, and the entry of the journal that holds it. */
export type StepRow = {
  /** When. */
  at: WireTime;
  /** Which device. */
  device?: string | null;
  /** The hash, in hexadecimal, that chains the entry there to all before it. */
  hash: string;
  /** Whose device it was on, where it was shown. */
  person?: string | null;
  /** Where in the journal. */
  seq: number;
  /** What happened. */
  what: StepWhat;
};

/** What can happen to an ask. */
export type StepWhat = 'asked' | 'shown' | 'closed' | 'answered_late' | 'sent' | 'confirmed';

/** The story of one ask. */
export type Story = {
  /** What happened. */
  steps: StepRow[];
};

/** One thing that could be a rule. Its parts are what `POST /v1/rules` takes. */
export type SuggestionRow = RuleWhat & {
  /** The asks to which a person said yes and that it would have answered, newest first. */
  asks: string[];
  /** What it would allow, as a sentence. */
  says: string;
};

/** What could be a rule, going by what people decided. */
export type Suggestions = {
  /** What would have spared people the most, first. */
  suggestions: SuggestionRow[];
};

/** Offers to do what people want of the agent's program. */
export type TakeControlsFrame = {
  /** In which conversations. */
  conversations: Record<string, never>;
  /** What a problem with this frame repeats. */
  ref?: string | null;
};

/** Offers to hear what people say. */
export type TakeTurnsFrame = {
  /** In which conversations. */
  conversations: Record<string, never>;
  /** What a problem with this frame repeats. */
  ref?: string | null;
};

/** What a text must look like. */
export type TextFormat = 'email' | 'uri' | 'date' | 'date_time';

/** A ticket: good once and briefly. */
export type Ticket = {
  /** When it is no longer good. */
  expires_at: WireTime;
  /** What goes into `?ticket=`. */
  ticket: string;
};

/** A new token with its secret; shown once. */
export type TokenMade = {
  /** Our id. */
  id: string;
  /** When it was made. */
  made_at: WireTime;
  /** What it is called. */
  name: string;
  /** Whose it is. */
  person?: string | null;
  /** What it is good for. */
  role: Role;
  /** The secret. */
  token: string;
};

/** One token, without its secret. */
export type TokenRow = {
  expires_at?: WireTime | null;
  /** Our id. */
  id: string;
  last_used_at?: WireTime | null;
  /** When it was made. */
  made_at: WireTime;
  /** What it is called. */
  name: string;
  /** Whose it is. */
  person?: string | null;
  /** Whether notices are pushed to this device. */
  push?: boolean;
  /** What it is good for. */
  role: Role;
  /** The id of the token of the same device that this one goes with. */
  with?: string | null;
};

/** The live tokens. */
export type Tokens = {
  /** One row each. */
  tokens: TokenRow[];
};

/** What an agent does in a conversation. */
export type Turn = 'idle' | 'running' | 'waiting';

/** What an agent does in a conversation changed. */
export type TurnChange = {
  /** When. */
  at: WireTime;
  /** Where. */
  conversation: ConversationRef;
  /** What it does now. */
  turn: Turn;
};

/** How a turn ended. */
export type TurnEnd = 'done' | 'failed' | 'lost' | 'stopped';

/** A person said something. */
export type TurnEvent = {
  /** In which conversation, by the agent's name for it. */
  conversation: string;
  /** The id of the message. */
  message: string;
  /** What. */
  text: string;
};

/** Yes or no. */
export type Verdict = {
  /** Which of the two. */
  allow: boolean;
  /** The input as the person changed it; only with a yes. */
  input?: string | null;
  /** What the person says with it. */
  note?: string | null;
  /** How far it reaches; `once` when absent. */
  scope?: Scope;
  /** Whether the agent's turn is to end with it; only with a no, and where the ask says `stop`. */
  stop?: boolean;
};

/** What a walk over the whole journal found. */
export type VerifyReport = {
  /** How many of them have had their text erased. */
  erased: number;
  /** How many events there are. */
  events: number;
  /** What is wrong; empty when all is well. */
  faults: string[];
};

/** The vetted forms. */
export type VettedForms = {
  /** One row each. */
  forms: FormRow[];
};

/** One thing that was wrong. */
export type Violation = {
  /** What. */
  message: string;
  /** Where: a JSON pointer. */
  path: string;
};

/** A number, kept as its exact text */
export type WireNumber = number;

/** RFC 3339 in UTC with milliseconds */
export type WireTime = string;

/** Takes an ask back. */
export type WithdrawFrame = {
  /** Which ask. */
  id: string;
  /** Why. */
  note?: string | null;
  /** What the reply to this frame repeats. */
  ref?: string | null;
};

/** Takes an ask back. */
export type WithdrawRequest = {
  /** Why. */
  note?: string | null;
};
