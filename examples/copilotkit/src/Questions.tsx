// Questions with their choices, each with a field for words of one's own.

import { nothing, type Question, type Reply } from './asks';

interface Props {
  name: string;
  questions: Question[];
  replies: Record<string, Reply>;
  change: (key: string, reply: Reply) => void;
}

export function Questions({ name, questions, replies, change }: Props) {
  return questions.map((question, place) => {
    const reply = replies[question.key] ?? nothing;
    const many = question.pick === 'many';
    const pick = (label: string, on: boolean) => {
      if (!many) return change(question.key, { labels: [label], other: '' });
      const rest = reply.labels.filter((other) => other !== label);
      change(question.key, { ...reply, labels: on ? [...rest, label] : rest });
    };
    const write = (other: string) =>
      change(question.key, { labels: many || !other ? reply.labels : [], other });
    return (
      <fieldset key={question.key}>
        <legend>
          {question.tag && <small>{question.tag}</small>} {question.text}
        </legend>
        {question.choices.map((choice) => (
          <label key={choice.label}>
            <input
              type={many ? 'checkbox' : 'radio'}
              name={`${name}-${place}`}
              checked={reply.labels.includes(choice.label)}
              onChange={(event) => pick(choice.label, event.target.checked)}
            />
            <span>{choice.label}</span> {choice.description && <em>{choice.description}</em>}
          </label>
        ))}
        {question.free_text && (
          <input
            aria-label={question.choices.length > 0 ? `Other: ${question.text}` : question.text}
            placeholder={question.choices.length > 0 ? 'Other' : 'Your answer'}
            value={reply.other}
            onChange={(event) => write(event.target.value)}
          />
        )}
      </fieldset>
    );
  });
}
