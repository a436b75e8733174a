import { svelte } from '@sveltejs/vite-plugin-svelte';
import tailwindcss from '@tailwindcss/vite';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

/** Writes a compressed copy beside each text, which the server hands to whoever takes it. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    // From what was written: only then has every other plugin had its say.
    writeBundle({ dir }, bundle) {
      for (const name of Object.keys(bundle).filter((name) => /\.(js|css)$/.test(name))) {
        const path = join(dir ?? 'dist', name);
        const small = brotliCompressSync(readFileSync(path), {
          params: { [constants.BROTLI_PARAM_QUALITY]: 11 },
        });
        writeFileSync(`${path}.br`, small);
      }
    },
  };
}

/** Files that are no part of the page itself: its worker, and compressed copies. */
const BESIDE = /^(sw\.js|\.srchash)$|\.br$/;

/** Writes into the worker what the page consists of, and a stamp that changes with any of it. */
function shell(): Plugin {
  return {
    name: 'shell',
    apply: 'build',
    writeBundle({ dir }) {
      const folder = dir ?? 'dist';
      const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      const names = found.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1).replaceAll('\\', '/'));
      const files = names.filter((name) => !BESIDE.test(name)).sort();
      const worker = join(folder, 'sw.js');
      const text = readFileSync(worker, 'utf8');
      const hash = createHash('sha256').update(text);
      for (const name of files) hash.update(name).update(readFileSync(join(folder, name)));
      const paths = files.map((name) => JSON.stringify(name === 'index.html' ? '/' : `/${name}`));
      const stamped = text
        .replace(/["'`]__FILES__["'`]/, paths.join(','))
        .replace('__STAMP__', hash.digest('hex').slice(0, 16));
      writeFileSync(worker, stamped);
    },
  };
}

type Graph = { getModuleInfo: (id: string) => { importers: string[] } | null };

/** Whether a module comes with another, because of imports that are not put off. */
function comesWith(id: string, whole: string, graph: Graph): boolean {
  const seen = new Set([id]);
  for (const one of seen) {
    if (one.endsWith(whole)) return true;
    for (const importer of graph.getModuleInfo(one)?.importers ?? []) seen.add(importer);
  }
  return false;
}

/** Few files: what is always loaded together is one, which compresses better than many. */
function fileOf(id: string, graph: Graph): string | null {
  if (comesWith(id, '/src/main.ts', graph)) return 'core';
  return comesWith(id, '/src/ask/AskPane.svelte', graph) ? 'AskPane' : null;
}

// Names without a hash: the build is committed, and a change shows as a change of one file.
export default defineConfig({
  plugins: [tailwindcss(), svelte(), shell(), compressed()],
  build: {
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    emptyOutDir: true,
    chunkSizeWarningLimit: 400,
    rolldownOptions: {
      input: { index: 'index.html', sw: 'src/worker/worker.ts' },
      output: {
        entryFileNames: ({ name }) => (name === 'sw' ? 'sw.js' : 'page/[name].js'),
        chunkFileNames: 'page/[name].js',
        assetFileNames: 'page/[name][extname]',
        codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: fileOf }] },
      },
    },
  },
  server: { proxy: { '/v1': { target: 'http://127.0.0.1:7717', ws: true } } },
  resolve: process.env['VITEST'] ? { conditions: ['browser'] } : {},
  test: { environment: 'happy-dom', include: ['tests/unit/**/*.test.ts'] },
});
