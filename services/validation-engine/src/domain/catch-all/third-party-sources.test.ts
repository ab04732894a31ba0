import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { amply } from '../testing/fakes.ts';
import type { EvidenceSource } from './evidence-source.ts';
import { createFakeWeb, inquiryAbout, keyOf, page, portsOf, stranger } from './testing/fakes.ts';
import { gravatar, keyServer } from './third-party-sources.ts';
import type { WebOutcome } from './web-client.ts';

const failed: WebOutcome = { kind: 'failure' };

async function ask(source: EvidenceSource, address: string, pages: Readonly<Record<string, WebOutcome>>) {
  const { web } = createFakeWeb(pages);
  const { observations } = await source.gather(portsOf({ web }).ports, inquiryAbout(address), amply());
  return observations.map(({ finding }) => finding).join();
}

describe('the key server', () => {
  const at = (address: string) => `keys.openpgp.org/vks/v1/by-email/${encodeURIComponent(address)}`;
  const armor = (octets: Uint8Array, newline = '\n') =>
    [
      '-----BEGIN PGP PUBLIC KEY BLOCK-----',
      'Comment: x',
      '',
      Buffer.from(octets).toString('base64'),
      '=abcd',
      '-----END PGP PUBLIC KEY BLOCK-----',
      '',
    ].join(newline);
  const nobody = { [at(`${stranger}@a.example`)]: page(404) };

  test.each<readonly [string, string, WebOutcome]>([
    ['published', 'a key', page(200, armor(keyOf('ada@a.example')))],
    ['published', 'a key from a Windows server', page(200, armor(keyOf('ada@a.example'), '\r\n'))],
    ['not_published', 'another person’s key', page(200, armor(keyOf('grace@a.example')))],
    ['not_published', 'a web page', page(200, '<!doctype html>ada@a.example')],
    ['not_published', 'an armored text', page(200, armor(new TextEncoder().encode('ada@a.example')))],
    ['not_published', 'none', page(404)],
    ['no_answer', 'a limit on requests', page(429)],
    ['no_answer', 'a fault', page(503)],
    ['no_answer', 'silence', failed],
  ])('%s: %s', async (finding, _name, answer) => {
    expect(await ask(keyServer, 'ada@a.example', { ...nobody, [at('ada@a.example')]: answer })).toBe(finding);
  });
});

describe('Gravatar', () => {
  const at = (address: string) =>
    `gravatar.com/avatar/${createHash('sha256').update(address).digest('hex')}?d=404&s=1`;
  const nobody = { [at(`${stranger}@a.example`)]: page(404) };
  const picture = page(200, Buffer.from('89504e470d0a1a0a', 'hex'));

  test.each<readonly [string, string, WebOutcome]>([
    ['published', 'a picture', picture],
    ['not_published', 'none', page(404)],
    ['not_published', 'a redirect', page(302)],
    ['not_published', 'a web page', page(200, '<!doctype html>')],
    ['no_answer', 'a limit on requests', page(429)],
    ['no_answer', 'silence', failed],
  ])('%s: %s', async (finding, _name, answer) => {
    expect(await ask(gravatar, 'Ada@a.example', { ...nobody, [at('ada@a.example')]: answer })).toBe(finding);
  });

  test('is no evidence if every address has a picture', async () => {
    const pages = { [at('ada@a.example')]: picture, [at(`${stranger}@a.example`)]: picture };
    expect(await ask(gravatar, 'ada@a.example', pages)).toBe('published_for_everybody');
  });
});
