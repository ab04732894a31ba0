import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compression } from 'vite-plugin-compression2';

/** Where `pnpm --filter @mailproof/web-app dev` finds a Mailproof that runs, such as the one of `npm start`. */
const gateway = process.env['MAILPROOF_GATEWAY_URL'] ?? 'http://127.0.0.1:8080';

export default defineConfig({
  base: '/app/',
  plugins: [
    react(),
    // The page itself is written anew for each visit, with its nonce, and so goes as it is.
    compression({ algorithms: ['brotliCompress'], include: /\.(js|css|svg)$/, threshold: 512 }),
  ],
  build: {
    target: 'baseline-widely-available',
    // A file in place of a data address, which the policy of the pages would not let in.
    assetsInlineLimit: 0,
    // The size of what a first visit loads is checked by a test.
    reportCompressedSize: false,
    manifest: 'manifest.json',
  },
  server: {
    proxy: Object.fromEntries(
      ['/app/v1', '/docs', '/openapi.json'].map(path => [
        path,
        // The gateway takes changes from pages of its own address alone.
        { target: gateway, changeOrigin: true, headers: { origin: gateway } },
      ]),
    ),
  },
});
