import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from '@jest/globals';

it('logs nothing of a record or a token, even if the client is configured to', async () => {
  // This variable may be set by accident, in a developer's shell or by an operator.
  const child = fork(join(import.meta.dirname, 'write-and-fail.ts'), {
    env: { ...process.env, JSFORCE_LOG_LEVEL: 'DEBUG' },
    execArgv: [],
    silent: true,
    timeout: 60_000,
  });
  const [[done], out, complaint] = await Promise.all([
    once(child, 'message') as Promise<
      [{ readonly accessToken: string; readonly faults: readonly unknown[] }]
    >,
    ...[child.stdout, child.stderr].map(stream => text(stream as Readable)),
  ]);
  const said = `${out}${complaint}`;
  expect(done.faults).toEqual(['away', 'away']);
  expect(done.accessToken).toMatch(/.{8}/);
  expect(said).toContain('heard');
  expect(said).not.toContain(done.accessToken);
  expect(said).not.toMatch(/secretive/i);
});
