import { cleanup, render } from '@testing-library/svelte';
import { afterEach, expect, test, vi } from 'vitest';
import Code from '../../src/parts/Code.svelte';

afterEach(cleanup);
const coloured = () => [...document.querySelectorAll('[class*=code-]')].map((one) => `${one.className.trim()}:${one.textContent}`);

test('code in prose has the colours of its language and keeps every character', async () => {
  const text = 'fn a() {\n  // \u202eb\n\n}';
  const { container } = render(Code, { text, language: 'rust' });
  expect(container.textContent).toBe('fn a() {\n  // \\u{202e}b\n\n}');
  await vi.waitFor(() => expect(coloured()).toEqual(['code-keyword:fn', 'code-name:a', 'code-comment:// ', 'code-comment:b']));
  expect(container.textContent).toBe('fn a() {\n  // \\u{202e}b\n\n}');
});

test('code of a language that is not known stays plain', async () => {
  const { container } = render(Code, { text: 'fn a() {}', language: 'klingon' });
  await import('../../src/lib/colours');
  expect([container.textContent, coloured()]).toEqual(['fn a() {}', []]);
});
