import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { createLogger, scrub } from './log.ts';

const key = `mp_live_${'Ab3'.repeat(12)}`;
const token = 'eyJhbGciOiJFZERTQSJ9.eyJpc3MiOiJnYXRld2F5In0.c2lnbmF0dXJl';

describe('a log line', () => {
  it.each([
    ['an API key', `key ${key} refused`, 'key [api key] refused'],
    ['a token', `Bearer ${token}`, 'Bearer [token]'],
    ['an address', 'no mailbox alice.b@ordinary.example here', 'no mailbox [address] here'],
    ['an address in brackets', 'RCPT TO:<alice@[192.0.2.1]>', 'RCPT TO:<[address]>'],
    ['an address without a dot', 'mail to root@localhost, please', 'mail to [address], please'],
    ['an international address', 'from 用户@例え.テスト', 'from [address]'],
    [
      'credentials in a URL',
      'connect postgres://user:secret@host/db',
      'connect postgres://[credentials]@host/db',
    ],
  ])('never shows %s', (_what, line, scrubbed) => {
    expect(scrub(line)).not.toMatch(/alice|secret|Ab3|eyJ/);
    expect(scrub(line)).toBe(scrubbed);
  });

  it('still shows where an error came from', () => {
    const frame = 'at f (file:///app/node_modules/.pnpm/@prisma+client@7.10.0_prisma@7.10.0/index.mjs:1:2)';
    expect(scrub(frame)).toBe(frame);
  });

  it('is one JSON object, scrubbed of secrets in any position, messages and stacks of errors included', () => {
    const lines: string[] = [];
    const logger = createLogger({
      service: 'gateway',
      level: 'info',
      destination: { write: line => void lines.push(line) },
    });
    const err = new Error(`refused ${key}`, { cause: new Error('mail to bob@ordinary.example') });
    logger.error({ err, nested: { url: 'https://u:p@hook.example/x' } }, 'failed for carol@ordinary.example');
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toMatch(/Ab3|bob|carol|u:p/);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ service: 'gateway', level: 'error' });
  });
});

/** A device that is always full; only Linux has one. */
const alwaysFull = '/dev/full';
const itWhereSomethingIsFull: typeof it | ((name: string, test: () => void) => void) = existsSync(alwaysFull)
  ? it
  : () => undefined;

/** Runs a process that logs more than it buffers and exits half a second later, with its output in the file. */
function logInto(file: string): { readonly code: number | null; readonly complaint: string } {
  const module = pathToFileURL(join(import.meta.dirname, 'log.ts')).href;
  const program = `
    const { createLogger } = await import(${JSON.stringify(module)});
    const logger = createLogger({ service: 'gateway', level: 'info' });
    for (let line = 1; line <= 1000; line += 1) logger.info({ line, text: 'x'.repeat(100) }, 'a line');
    setTimeout(() => logger.info('the last line'), 500);
  `;
  const output = openSync(file, 'w');
  try {
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', output, 'pipe'],
      encoding: 'utf8',
      timeout: 60_000,
      killSignal: 'SIGKILL',
    });
    return { code: status, complaint: stderr };
  } finally {
    closeSync(output);
  }
}

describe('a process', () => {
  it('has written every line at its end', () => {
    const file = join(tmpdir(), `mailproof-log-${process.pid}`);
    try {
      expect(logInto(file)).toEqual({ code: 0, complaint: '' });
      const lines = readFileSync(file, 'utf8').trim().split('\n');
      expect([lines.length, lines.at(-1)]).toEqual([1_001, expect.stringContaining('the last line')]);
    } finally {
      rmSync(file, { force: true });
    }
  });

  itWhereSomethingIsFull('continues, and ends in order, if the disk accepts no line', () => {
    expect(logInto(alwaysFull)).toEqual({ code: 0, complaint: '' });
  });
});
