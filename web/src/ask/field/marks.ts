/** What every control of a form field carries. */
import type { Value } from '../../state/drafts';

export type Marks = { id: string; invalid: 'true' | undefined; describedby: string | undefined };
export type Put = (value: Value) => void;
