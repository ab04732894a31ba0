import { describe, expect, test } from '@jest/globals';
import { environment } from '../test/engine-in-lab.ts';
import { loadConfig } from './config.ts';

describe('settings', () => {
  test('have defaults for the internet', () => {
    expect(loadConfig(environment())).toMatchObject({
      VALIDATION_DNS_SERVERS: undefined,
      VALIDATION_ALLOWED_PRIVATE_RANGES: [],
      VALIDATION_SMTP_PORT: 25,
      VALIDATION_HELO_NAME: 'probe.checker.example',
      VALIDATION_MAIL_FROM: '',
      VALIDATION_DEADLINE_MS: 25_000,
      VALIDATION_IN_FLIGHT_MAX: 200,
    });
  });

  test('are read as lists', () => {
    const config = loadConfig(
      environment({
        VALIDATION_DNS_SERVERS: '127.42.0.1:5353, [2001:db8::53]:53',
        VALIDATION_ALLOWED_PRIVATE_RANGES: '127.42.0.0/16,fd00::/8',
        VALIDATION_SMTP_PORT: '2525',
        VALIDATION_MAIL_FROM: 'probe@checker.example',
      }),
    );
    expect(config.VALIDATION_DNS_SERVERS).toEqual(['127.42.0.1:5353', '[2001:db8::53]:53']);
    expect(config.VALIDATION_ALLOWED_PRIVATE_RANGES).toEqual(['127.42.0.0/16', 'fd00::/8']);
    expect(config.VALIDATION_SMTP_PORT).toBe(2525);
  });

  test.each([
    ['VALIDATION_DNS_SERVERS', 'ns.example:53'],
    ['VALIDATION_DNS_SERVERS', '192.0.2.53'],
    ['VALIDATION_DNS_SERVERS', '192.0.2.53:0'],
    ['VALIDATION_ALLOWED_PRIVATE_RANGES', '10.0.0.0'],
    ['VALIDATION_ALLOWED_PRIVATE_RANGES', '0.0.0.0/0'],
    ['VALIDATION_ALLOWED_PRIVATE_RANGES', '::/0'],
    ['VALIDATION_SMTP_PORT', '587'],
    ['VALIDATION_SMTP_PORT', '0'],
    ['VALIDATION_HELO_NAME', 'localhost'],
    ['VALIDATION_HELO_NAME', 'probe.local'],
    ['VALIDATION_HELO_NAME', 'probe.example\r\nMAIL FROM:<>'],
    ['VALIDATION_MAIL_FROM', 'nobody'],
    ['VALIDATION_MAIL_FROM', 'jörg@checker.example'],
    ['VALIDATION_MAIL_FROM', 'a@b.example> SIZE=1'],
    ['VALIDATION_DEADLINE_MS', '10'],
    ['VALIDATION_IN_FLIGHT_MAX', '0'],
  ])('refuse %s=%s', (name, value) => {
    expect(() => loadConfig(environment({ [name]: value }))).toThrow(name);
  });
});
