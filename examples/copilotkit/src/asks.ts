// What sayso puts beside an interrupt, and what goes back.

export interface Question {
  /** The key of its answer. */
  key: string;
  text: string;
  tag?: string;
  pick: 'one' | 'many' | 'text';
  choices: { label: string; description?: string }[];
  free_text: boolean;
}

export interface Ask {
  digest: string;
  agent: string;
  matter: 'questions' | 'approval' | 'form';
  title?: string;
  questions?: Question[];
  action?: { tool: string; input: string; reason?: string; risk: 'low' | 'medium' | 'high'; reasons?: string[] };
}

/** What a person picked and wrote for one question. */
export interface Reply {
  labels: string[];
  other: string;
}

export const nothing: Reply = { labels: [], other: '' };

/** Own words in place of a choice, or beside several; nothing when there is neither. */
export function value(question: Question, reply: Reply): string | string[] | undefined {
  const other = reply.other.trim();
  if (question.pick === 'many') {
    const all = other ? [...reply.labels, other] : reply.labels;
    return all.length > 0 ? all : undefined;
  }
  return other || reply.labels[0];
}

/** The answers by key, those that were given; nothing when none was. */
export function answers(questions: Question[], replies: Record<string, Reply>) {
  const given: Record<string, string | string[]> = {};
  for (const question of questions) {
    const said = value(question, replies[question.key] ?? nothing);
    if (said !== undefined) given[question.key] = said;
  }
  return Object.keys(given).length > 0 ? { answers: given } : undefined;
}
