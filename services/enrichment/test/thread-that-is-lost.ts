import { existsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';

const { databaseUrl } = workerData as { databaseUrl: string };

/** Records across threads that one was lost; the name of a test's database is unique. */
const file = join(tmpdir(), `mailproof-lost-${basename(new URL(databaseUrl).pathname)}`);

/** The first thread crashes on its first question, as if out of memory; the next one is the real one. */
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
