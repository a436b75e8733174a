/** Finds sentences that stand in a component or a module instead of in the dictionary. */

import { parse } from 'svelte/compiler';
import ts from 'typescript';

export type Found = { line: number; text: string };

const SPOKEN = new Set(['aria-label', 'aria-description', 'title', 'placeholder', 'alt', 'label', 'note', 'text', 'sentence']);
/** Names of keys, of browsers and of headers are the same in every language. */
const NAMES = /^(Enter|Escape|Shift|Control|Alt|Meta|Fn|Delete|Dead|Process|Unidentified|Arrow\w+|Space|Backspace|Authorization|Bearer|Content-Type|Firefox|Edge|Chrome|Safari|Bash|Braille|GET|POST|DELETE|Refused|OpenClaw|Agno|Nebo|Claude( Code)?|Codex|MCP|ACP|API|Notification|Cyrl|Grek|Armn|Hebr|Arab|Cher)$/;
const LETTERS = /\p{L}{2}/u;
/** What a string of a program looks like when it is meant for people. */
const PROSE = /^[A-Z“][a-z’]+(?:[ ,.…:]|$)|[a-z’]{2,}[,.]? [a-z’]{2,}[,.]? [a-z’]{2,}|^[a-z]+ [a-z]+$|^ ?[a-z]+, |\. [A-Z]/;
const CODE = /[-_[\]{}<>=$]|\/\/|^M\d|::/;

type Node = { type?: string; [key: string]: unknown };

function lineOf(source: string, at: number): number {
  return source.slice(0, at).split('\n').length;
}

function isProse(text: string): boolean {
  const trimmed = text.trim();
  return LETTERS.test(trimmed) && PROSE.test(trimmed) && !NAMES.test(trimmed) && !CODE.test(trimmed);
}

/** Text between tags, and what is read out of attributes. */
function inMarkup(source: string): Found[] {
  const out: Found[] = [];
  const add = (at: number, text: string) => out.push({ line: lineOf(source, at), text: text.trim() });
  const walk = (node: Node, parent: Node | undefined): void => {
    if (node.type === 'Text' && parent?.type !== 'Attribute' && parent?.type !== 'StyleDirective') {
      const text = String(node['data']);
      const within = String((parent as { name?: string } | undefined)?.name ?? '');
      if (LETTERS.test(text) && !['style', 'script', 'kbd', 'code'].includes(within)) add(Number(node['start']), text);
    }
    if (node.type === 'Attribute' && SPOKEN.has(String(node['name']))) {
      for (const part of [node['value']].flat() as Node[]) {
        if (part?.type === 'Text' && LETTERS.test(String(part['data']))) add(Number(part['start']), String(part['data']));
      }
    }
    if (node.type === 'Attribute' && node['name'] === 'class') return;
    if ((node.type === 'Literal' && typeof node['value'] === 'string' && isProse(node['value'])) || (node.type === 'TemplateElement' && isProse(String((node['value'] as { raw: string }).raw)))) {
      add(Number(node['start']), String(typeof node['value'] === 'string' ? node['value'] : (node['value'] as { raw: string }).raw));
    }
    for (const [key, value] of Object.entries(node)) {
      if (key === 'css' || key === 'metadata' || key === 'instance' || key === 'module' || key === 'options') continue;
      for (const child of [value].flat()) {
        if (child && typeof child === 'object' && 'type' in child) walk(child as Node, node.type === 'Fragment' ? parent : node);
      }
    }
  };
  walk(parse(source, { modern: true }).fragment as unknown as Node, undefined);
  return out;
}

/** Strings of a script that are meant for people. */
function inScript(source: string, from: number, whole: string): Found[] {
  const out: Found[] = [];
  const file = ts.createSourceFile('a.ts', source, ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node)) return;
    if ((ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) && isProse(node.text)) {
      out.push({ line: lineOf(whole, from + node.getStart()), text: node.text });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return out;
}

export function proseIn(name: string, source: string): Found[] {
  if (!name.endsWith('.svelte')) return inScript(source, 0, source);
  const script = /<script[^>]*>([\s\S]*?)<\/script>/.exec(source);
  const inside = script ? inScript(script[1] ?? '', script.index + script[0].indexOf('>') + 1, source) : [];
  return [...inside, ...inMarkup(source)];
}
