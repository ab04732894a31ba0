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

  it('is one JSON object, scrubbed wherever the secret was, messages and stacks of errors included', () => {
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
