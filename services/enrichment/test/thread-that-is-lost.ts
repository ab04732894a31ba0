import { existsSync, writeFileSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';

/** Dies of the first question that ever comes, as a thread without memory would; the next one is the real one. */
const file = new URL(import.meta.url).searchParams.get('file') ?? '';
if (existsSync(file)) {
  await import('../src/adapters/lookalike-worker/ranking-thread.ts');
} else {
  parentPort?.on('message', (message: { kind: string }) => {
    if (message.kind === 'rank') {
      writeFileSync(file, '');
      throw new Error('This thread is lost.');
    }
  });
}
