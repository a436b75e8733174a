// Writes src/api/schema.ts from the server's description of its API: one type for each schema.
// With --check it only says whether the file is as it would write it.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const document = JSON.parse(readFileSync(here('../../crates/server/openapi.json'), 'utf8'));

const quoted = (value) => `'${String(value).replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
const key = (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : quoted(name));
const paren = (text) => (/[|&]/.test(text) ? `(${text})` : text);

function of(schema, indent) {
  if (schema.$ref) return schema.$ref.split('/').at(-1);
  if (schema.const !== undefined) return quoted(schema.const);
  if (schema.enum) return schema.enum.map((value) => (value === null ? 'null' : quoted(value))).join(' | ');
  const either = schema.oneOf ?? schema.anyOf;
  if (either) return either.map((part) => paren(of(part, indent))).join(' | ');
  if (schema.allOf) return schema.allOf.map((part) => paren(of(part, indent))).join(' & ');
  const kinds = [schema.type ?? []].flat();
  return kinds.map((kind) => named(kind, schema, indent)).join(' | ') || 'unknown';
}

function named(kind, schema, indent) {
  switch (kind) {
    case 'null':
      return 'null';
    case 'string':
      return 'string';
    case 'boolean':
      return 'boolean';
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return `${paren(of(schema.items ?? {}, indent))}[]`;
    case 'object':
      return object(schema, indent);
    default:
      throw new Error(`no type is known for ${kind}`);
  }
}

function object(schema, indent) {
  const inner = `${indent}  `;
  const rows = Object.entries(schema.properties ?? {}).map(([name, part]) => {
    const must = schema.required?.includes(name) ? '' : '?';
    return `${comment(part, inner)}${inner}${key(name)}${must}: ${of(part, inner)};`;
  });
  if (schema.additionalProperties) {
    rows.push(`${inner}[name: string]: ${of(schema.additionalProperties, inner)};`);
  }
  return rows.length ? `{\n${rows.join('\n')}\n${indent}}` : 'Record<string, never>';
}

function comment(schema, indent) {
  const text = schema.description?.replaceAll('*/', '* /').split('\n').join(`\n${indent} * `);
  return text ? `${indent}/** ${text} */\n` : '';
}

const types = Object.entries(document.components.schemas)
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([name, schema]) => `${comment(schema, '')}export type ${name} = ${of(schema, '')};\n`);
const text = `// Written by tools/schema.mjs from the server's openapi.json. Not to be edited.\n\n${types.join('\n')}`;

const target = here('../src/api/schema.ts');
if (process.argv.includes('--check')) {
  let there = '';
  try {
    there = readFileSync(target, 'utf8');
  } catch {
    // No file is the same as a stale one.
  }
  if (there !== text) {
    console.error('src/api/schema.ts is not what openapi.json says; run `cargo xtask web`');
    process.exit(1);
  }
} else {
  writeFileSync(target, text);
}
