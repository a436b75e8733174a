import { svelte } from '@sveltejs/vite-plugin-svelte';
import tailwindcss from '@tailwindcss/vite';
import { readFileSync, writeFileSync } from 'node:fs';
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

// Names without a hash: the build is committed, and a change shows as a change of one file.
export default defineConfig({
  plugins: [tailwindcss(), svelte(), compressed()],
  build: {
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    emptyOutDir: true,
    chunkSizeWarningLimit: 400,
    rolldownOptions: {
      output: {
        entryFileNames: 'page/[name].js',
        chunkFileNames: 'page/[name].js',
        assetFileNames: 'page/[name][extname]',
      },
    },
  },
  server: { proxy: { '/v1': { target: 'http://127.0.0.1:7717', ws: true } } },
  resolve: process.env['VITEST'] ? { conditions: ['browser'] } : {},
  test: { environment: 'happy-dom', include: ['tests/unit/**/*.test.ts'] },
});
