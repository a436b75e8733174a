import { defineConfig } from 'vite';

export default defineConfig({
  server: { port: 5173, strictPort: true },
  build: { chunkSizeWarningLimit: 20_000, reportCompressedSize: false },
});
