import { describe, expect, test } from '@jest/globals';
import { amply } from '../testing/fakes.ts';
import type { EvidenceSource } from './evidence-source.ts';
import { createFakeWeb, inquiryAbout, keyOf, page, portsOf, stranger } from './testing/fakes.ts';
import type { WebOutcome } from './web-client.ts';
import { webFinger, webKeyDirectory, webKeyName } from './web-sources.ts';

const nowhere: WebOutcome = { kind: 'no_such_host' };
const failed: WebOutcome = { kind: 'failure' };

async function ask(source: EvidenceSource, address: string, pages: Readonly<Record<string, WebOutcome>>) {
  const { web, asked } = createFakeWeb(pages);
  const { observations } = await source.gather(portsOf({ web }).ports, inquiryAbout(address), amply());
  expect(asked.length).toBeLessThanOrEqual(source.cost.httpsRequests * 2);
  return { findings: observations.map(({ finding }) => finding), asked };
}

describe('a Web Key Directory', () => {
  const directory = '/.well-known/openpgpkey';
  const file = (localPart: string) => `hu/${webKeyName(localPart)}?l=${encodeURIComponent(localPart)}`;
  const advanced = (localPart: string) => `openpgpkey.a.example${directory}/a.example/${file(localPart)}`;
  const direct = (localPart: string) => `a.example${directory}/${file(localPart)}`;
  const key = page(200, keyOf('ada@a.example'));

  test('confirms a mailbox by the advanced method', async () => {
    const pages = { [advanced('ada')]: key, [advanced(stranger)]: page(404) };
    expect(await ask(webKeyDirectory, 'ada@a.example', pages)).toEqual({
      findings: ['published'],
      asked: [advanced('ada'), advanced(stranger)],
    });
  });

  test('is asked by the direct method only where the sub-domain does not exist', async () => {
    const pages = {
      [advanced('ada')]: nowhere,
      [direct('ada')]: key,
      [advanced(stranger)]: nowhere,
      [direct(stranger)]: page(404),
    };
    expect(await ask(webKeyDirectory, 'ada@a.example', pages)).toMatchObject({ findings: ['published'] });
    expect(await ask(webKeyDirectory, 'ada@a.example', { [advanced('ada')]: page(404) })).toEqual({
      findings: ['not_published'],
      asked: [advanced('ada')],
    });
    expect(await ask(webKeyDirectory, 'ada@a.example', { [advanced('ada')]: failed })).toEqual({
      findings: ['no_answer'],
      asked: [advanced('ada')],
    });
  });

  test('is told the local part as it was written, under the name of its lower-case form', async () => {
    const { asked } = await ask(webKeyDirectory, 'Ada+News@A.Example', { [advanced('Ada+News')]: page(404) });
    expect(asked[0]).toMatch(
      new RegExp(`^openpgpkey\\.a\\.example.*/hu/${webKeyName('ada+news')}\\?l=Ada%2BNews$`),
    );
  });

  test.each<readonly [string, WebOutcome, WebOutcome | undefined, string]>([
    ['a key for every address', key, page(200, keyOf(`${stranger}@a.example`)), 'published_for_everybody'],
    ['a redirect', page(302, keyOf('ada@a.example')), undefined, 'not_published'],
    ['a web page under every name', page(200, '<!doctype html>ada@a.example'), undefined, 'not_published'],
    ['another person’s key', page(200, keyOf('grace@a.example')), undefined, 'not_published'],
    ['a server’s fault', page(503), undefined, 'no_answer'],
    ['a limit on requests', page(429), undefined, 'no_answer'],
    ['a fault at the control question', key, page(500), 'no_answer'],
    ['silence at the control question', key, failed, 'no_answer'],
  ])('gives no evidence by %s', async (_name, first, second, finding) => {
    const pages = { [advanced('ada')]: first, ...(second !== undefined && { [advanced(stranger)]: second }) };
    expect(await ask(webKeyDirectory, 'ada@a.example', pages)).toMatchObject({ findings: [finding] });
  });

  test.each([
    [403, 'a file store'],
    [404, 'most servers'],
    [301, 'a server that leads strangers home'],
  ])('confirms where a made-up one gets %i, as from %s', async status => {
    const pages = { [advanced('ada')]: key, [advanced(stranger)]: page(status) };
    expect(await ask(webKeyDirectory, 'ada@a.example', pages)).toMatchObject({ findings: ['published'] });
  });

  test('may write the domain of an international address either way', async () => {
    const at = (local: string) =>
      `openpgpkey.xn--bcher-kva.example${directory}/xn--bcher-kva.example/hu/${webKeyName(local)}?l=${local}`;
    for (const domain of ['bücher.example', 'xn--bcher-kva.example']) {
      const pages = { [at('ada')]: page(200, keyOf(`ada@${domain}`)), [at(stranger)]: page(404) };
      expect(await ask(webKeyDirectory, 'ada@bücher.example', pages)).toMatchObject({
        findings: ['published'],
      });
    }
  });
});

describe('WebFinger', () => {
  const account = (user: string) =>
    `a.example/.well-known/webfinger?resource=${encodeURIComponent(`acct:${user}@a.example`)}`;
  const descriptor = page(200, JSON.stringify({ subject: 'acct:ada@a.example', links: [] }));

  test('tells of an account where a made-up one is unknown', async () => {
    const pages = { [account('ada')]: descriptor, [account(stranger)]: page(404) };
    expect(await ask(webFinger, 'ada@a.example', pages)).toEqual({
      findings: ['published'],
      asked: [account('ada'), account(stranger)],
    });
  });

  test.each([
    ['ada+news@a.example', 'ada+news'],
    ['Ada@a.example', 'Ada'],
    ['"a b"@a.example', 'a%20b'],
    ['a/b@a.example', 'a%2Fb'],
  ])('is asked about %s in a separate URI', async (address, user) => {
    expect(await ask(webFinger, address, { [account(user)]: page(404) })).toMatchObject({
      asked: [account(user)],
    });
  });

  test.each<readonly [string, WebOutcome, WebOutcome | undefined, string]>([
    ['an account for every address', descriptor, descriptor, 'published_for_everybody'],
    ['a fault at the control question', descriptor, page(502), 'no_answer'],
    ['no account', page(404), undefined, 'not_published'],
    ['no web server', nowhere, undefined, 'not_published'],
    ['a failure', failed, undefined, 'no_answer'],
    ['a redirect', page(302, '{"subject":"acct:ada@a.example"}'), undefined, 'not_published'],
    ['an error in JSON', page(200, '{"error":"not found"}'), undefined, 'not_published'],
    ['a JSON list', page(200, '[1]'), undefined, 'not_published'],
    ['JSON null', page(200, 'null'), undefined, 'not_published'],
    ['a web page', page(200, '<!doctype html>'), undefined, 'not_published'],
  ])('gives no evidence by %s', async (_name, first, second, finding) => {
    const pages = { [account('ada')]: first, ...(second !== undefined && { [account(stranger)]: second }) };
    expect(await ask(webFinger, 'ada@a.example', pages)).toMatchObject({ findings: [finding] });
  });
});

describe('the name of a web key', () => {
  test('is the one of the draft’s example', () => {
    // Draft-koch-openpgp-webkey-service section 3.1, for Joe.Doe@example.org.
    expect(webKeyName('Joe.Doe')).toBe('iy9q119eutrkn8s1mk4r39qejnbu3n5q');
    expect(webKeyName('joe.doe')).toBe('iy9q119eutrkn8s1mk4r39qejnbu3n5q');
  });

  test('leaves letters beyond ASCII as they are', () => {
    expect(webKeyName('J\u00d6RG')).toBe(webKeyName('j\u00d6rg'));
    expect(webKeyName('J\u00d6RG')).not.toBe(webKeyName('j\u00f6rg'));
  });
});
