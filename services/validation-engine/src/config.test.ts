import { describe, expect, test } from '@jest/globals';
import { environment } from '../test/engine-in-lab.ts';
import { loadConfig } from './config.ts';
import { evidenceSources } from './domain/catch-all/sources.ts';

describe('settings', () => {
  test('have defaults for the internet', () => {
    expect(loadConfig(environment())).toMatchObject({
      VALIDATION_DNS_SERVERS: undefined,
      VALIDATION_ALLOWED_PRIVATE_RANGES: [],
      VALIDATION_SMTP_PORT: 25,
      VALIDATION_HTTPS_PORT: 443,
      VALIDATION_EVIDENCE_SOURCES: evidenceSources
        .filter(({ enabledByDefault }) => enabledByDefault)
        .map(({ id }) => id),
      VALIDATION_OUTCOME_RETENTION_DAYS: 730,
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
        VALIDATION_EVIDENCE_SOURCES: 'published_mx, openpgpkey',
        VALIDATION_CATCH_ALL_PRIOR: '0.6',
      }),
    );
    expect(config.VALIDATION_DNS_SERVERS).toEqual(['127.42.0.1:5353', '[2001:db8::53]:53']);
    expect(config.VALIDATION_ALLOWED_PRIVATE_RANGES).toEqual(['127.42.0.0/16', 'fd00::/8']);
    expect(config.VALIDATION_SMTP_PORT).toBe(2525);
    expect(config.VALIDATION_EVIDENCE_SOURCES).toEqual(['published_mx', 'openpgpkey']);
    expect(config.VALIDATION_CATCH_ALL_PRIOR).toBe(0.6);
    const none = loadConfig(environment({ VALIDATION_EVIDENCE_SOURCES: 'none' }));
    expect(none.VALIDATION_EVIDENCE_SOURCES).toEqual([]);
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
    ['VALIDATION_HTTPS_PORT', '8443'],
    ['VALIDATION_CA_FILE', '/nonexistent/authority.pem'],
    ['VALIDATION_CA_FILE', import.meta.filename],
    ['VALIDATION_LISTS_DIR', 'lists'],
    ['PUBLIC_PAGES_CONTACT_URL', 'mailto:pages@checker.example'],
    ['PUBLIC_PAGES_CONTACT_URL', 'https://checker.example/bot)(evil'],
    ['PUBLIC_PAGES_CONTACT_URL', 'https://checker.example/böt'],
    ['VALIDATION_EVIDENCE_SOURCES', 'openpgpkey,horoscope'],
    ['VALIDATION_WEIGHTS_FILE', '/nowhere/weights.json'],
    ['VALIDATION_WEIGHTS_FILE', import.meta.filename],
    ['VALIDATION_CATCH_ALL_PRIOR', '1'],
    ['VALIDATION_CATCH_ALL_PRIOR', '0.0'],
    ['VALIDATION_CATCH_ALL_PRIOR', 'high'],
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

describe('the way to the mail hosts', () => {
  test('may lead through a proxy', () => {
    const { VALIDATION_SOCKS5_URL } = loadConfig(
      environment({ VALIDATION_SOCKS5_URL: 'socks5://probe:p%40ss@[2001:db8::1]' }),
    );
    expect(VALIDATION_SOCKS5_URL).toEqual({
      host: '2001:db8::1',
      port: 1080,
      user: 'probe',
      password: 'p@ss',
    });
  });

  test('may begin at an address of each family', () => {
    const { VALIDATION_LOCAL_ADDRESS } = loadConfig(
      environment({ VALIDATION_LOCAL_ADDRESS: '192.0.2.1, 2001:db8::1' }),
    );
    expect(VALIDATION_LOCAL_ADDRESS).toEqual(['192.0.2.1', '2001:db8::1']);
  });

  test.each([
    ['VALIDATION_SOCKS5_URL', 'http://proxy.example:1080'],
    ['VALIDATION_SOCKS5_URL', 'socks5://probe:secret@'],
    ['VALIDATION_SOCKS5_URL', 'socks5://probe@proxy.example'],
    ['VALIDATION_SOCKS5_URL', 'socks5://probe:%E0%A4%A@proxy.example'],
    ['VALIDATION_SOCKS5_URL', 'socks5://proxy.example/path'],
    ['VALIDATION_LOCAL_ADDRESS', 'probe.example'],
    ['VALIDATION_LOCAL_ADDRESS', '192.0.2.1,192.0.2.2'],
  ])('%s refuses %s, and does not repeat it', (setting, value) => {
    const load = () => loadConfig(environment({ [setting]: value }));
    expect(load).toThrow(setting);
    expect(load).not.toThrow(/secret/);
  });

  test('is one or the other, and a proxy needs a name for us', () => {
    const proxy = { VALIDATION_SOCKS5_URL: 'socks5://proxy.example' };
    expect(() => loadConfig(environment({ ...proxy, VALIDATION_LOCAL_ADDRESS: '192.0.2.1' }))).toThrow(
      /VALIDATION_LOCAL_ADDRESS: must not be set with/,
    );
  });
});
