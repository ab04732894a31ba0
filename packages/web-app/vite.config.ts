import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compression } from 'vite-plugin-compression2';

/**
 * The gateway of a running Mailproof, such as one started with `npm start`, for `pnpm --filter @mailproof/web-app dev`.
 */
const gateway = process.env['MAILPROOF_GATEWAY_URL'] ?? 'http://127.0.0.1:8080';

export default defineConfig({
  base: '/app/',
  plugins: [
    react(),
    // The page itself is generated for each visit with its own nonce, so it is not compressed here.
    compression({ algorithms: ['brotliCompress'], include: /\.(js|css|svg)$/, threshold: 512 }),
  ],
  build: {
    target: 'baseline-widely-available',
    // Emits files instead of data URLs, which the pages' Content Security Policy does not allow.
    assetsInlineLimit: 0,
    // A test checks the size of the first load.
    reportCompressedSize: false,
    manifest: 'manifest.json',
  },
  server: {
    proxy: Object.fromEntries(
      ['/app/v1', '/docs', '/openapi.json'].map(path => [
        path,
        // The gateway accepts changes only from pages of the same origin.
        { target: gateway, changeOrigin: true, headers: { origin: gateway } },
      ]),
    ),
  },
});
