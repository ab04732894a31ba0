import { describe, expect, test } from '@jest/globals';
import type { DnsAnswer } from '../dns/mail-dns.ts';
import { amply, emailOf } from '../testing/fakes.ts';
import { providerTable } from './find-provider.ts';
import { findMailboxProvider, providerOfSpf } from './mailbox-provider.ts';
import { mailboxSpfNames, sendingSpfNames } from './spf-names.ts';

const gateway = 'mxb-00001.gslb.pphosted.com';

function foundHosts(...names: string[]) {
  const preferred = names[0] ?? gateway;
  return { kind: 'found' as const, preferred, hosts: names.map(name => ({ name })), hostsLeftOut: 0 };
}

/** Infers for a company with these mail hosts and TXT records; any other question fails the test. */
async function infer(
  hosts: readonly string[],
  texts: Readonly<Record<string, readonly string[] | DnsAnswer<string>>> = {},
) {
  const asked: string[] = [];
  const dns = {
    resolveText: async (name: string): Promise<DnsAnswer<string>> => {
      asked.push(name);
      const records = texts[name];
      if (records === undefined) {
        throw new Error(`TXT of ${name} was asked for, which the test does not expect.`);
      }
      return 'kind' in records ? records : { kind: 'answer', records };
    },
  };
  const { domain } = emailOf('ada@a.example');
  return { provider: await findMailboxProvider(dns, foundHosts(...hosts), domain, amply()), asked };
}

describe('the mailbox host behind a gateway', () => {
  test('is asked for only where a gateway fronts', async () => {
    expect(await infer(['aspmx.l.google.com'])).toEqual({ provider: undefined, asked: [] });
    expect(await infer(['mx.a.example', gateway])).toEqual({ provider: undefined, asked: [] });
  });

  test('shows itself as another mail host, without a question', async () => {
    expect(await infer([gateway, 'a-example.mail.protection.outlook.com'])).toEqual({
      provider: { id: 'microsoft_365', inferredFrom: 'mx' },
      asked: [],
    });
  });

  test('is named by the SPF record', async () => {
    expect(await infer([gateway], { 'a.example': ['x=1', 'v=spf1 include:_spf.google.com -all'] })).toEqual({
      provider: { id: 'google_workspace', inferredFrom: 'spf' },
      asked: ['a.example'],
    });
  });

  test.each([
    ['a sending service', 'v=spf1 include:amazonses.com include:sendgrid.net -all'],
    ['a suite of services', 'v=spf1 include:one.zoho.eu -all'],
    ['two of them', 'v=spf1 include:_spf.google.com include:spf.protection.outlook.com -all'],
    ['somebody unknown', 'v=spf1 include:spf.elsewhere.example -all'],
    ['nobody', 'v=spf1 mx -all'],
    ['a name that only looks alike', 'v=spf1 include:notspf.protection.outlook.com.b.example -all'],
  ])('stays unnamed where the record names %s', async (_what, record) => {
    const { provider, asked } = await infer([gateway], { 'a.example': [record] });
    expect(provider).toBeUndefined();
    expect(asked).toEqual(['a.example']);
  });

  test.each([
    ['a redirection', 'v=spf1 redirect=_spf.b.example', '_spf.b.example'],
    ['a name of the domain itself', 'v=spf1 include:_spf.a.example -all', '_spf.a.example'],
  ])('is looked for once behind %s', async (_what, record, next) => {
    const texts = { 'a.example': [record], [next]: ['v=spf1 include:spf.messagingengine.com -all'] };
    expect(await infer([gateway], texts)).toEqual({
      provider: { id: 'fastmail', inferredFrom: 'spf' },
      asked: ['a.example', next],
    });
    const winding = { 'a.example': [record], [next]: ['v=spf1 redirect=_spf3.a.example'] };
    expect((await infer([gateway], winding)).asked).toEqual(['a.example', next]);
  });

  test('is the provider to whom the record redirects, without another question', async () => {
    expect(await infer([gateway], { 'a.example': ['v=spf1 redirect=_spf.mail.ru'] })).toEqual({
      provider: { id: 'mail_ru', inferredFrom: 'spf' },
      asked: ['a.example'],
    });
  });

  test.each<DnsAnswer<string>>([
    { kind: 'failure', failure: 'timeout' },
    { kind: 'nxdomain' },
    { kind: 'nodata' },
  ])('stays unnamed after %o', async answer => {
    expect((await infer([gateway], { 'a.example': answer })).provider).toBeUndefined();
  });
});

describe('the table of SPF names', () => {
  test('names only mailbox hosts of the table of providers', () => {
    const known = new Set(
      providerTable.flatMap(([kind, entries]) =>
        kind === 'mailbox_host' ? entries.map(({ id }) => id) : [],
      ),
    );
    expect(Object.keys(mailboxSpfNames).filter(id => !known.has(id))).toEqual([]);
  });

  test.each(Object.entries(mailboxSpfNames).flatMap(([id, names]) => names.map(name => ({ id, name }))))(
    '$name is $id',
    ({ id, name }) => {
      expect(providerOfSpf({ includes: [name] })).toBe(id);
    },
  );

  test.each(sendingSpfNames)('%s is nobody', name => {
    expect(providerOfSpf({ includes: [name] })).toBeUndefined();
  });
});
