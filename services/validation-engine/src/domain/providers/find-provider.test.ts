import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import type { DnsAnswer } from '../dns/mail-dns.ts';
import { amply, emailOf } from '../testing/fakes.ts';
import { findMailboxProvider, findProvider, providerOfSpf, providerTable } from './find-provider.ts';
import { providersPage } from './providers-page.ts';
import { mailboxSpfNames, sendingSpfNames } from './spf-names.ts';

describe('a mail host', () => {
  test.each([
    ['aspmx.l.google.com', 'google_workspace', 'mailbox_host'],
    ['company-com.mail.protection.outlook.com', 'microsoft_365', 'mailbox_host'],
    ['outlook-com.olc.protection.outlook.com', 'outlook_com', 'mailbox_host'],
    ['ASPMX.L.GOOGLE.COM', 'google_workspace', 'mailbox_host'],
    ['inbound-smtp.eu-west-1.amazonaws.com', 'amazon_ses', 'mailbox_host'],
    ['mx00.ionos.de', 'ionos', 'mailbox_host'],
    ['mx00.ionos.co.uk', 'ionos', 'mailbox_host'],
    ['mx1.hostinger.com', 'hostinger', 'mailbox_host'],
    ['route1.mx.cloudflare.net', 'cloudflare_routing', 'forwarder'],
    ['mxa.mailgun.org', 'mailgun', 'inbound_application'],
    ['mxa-00000.gslb.pphosted.com', 'proofpoint', 'gateway'],
    ['eu-smtp-inbound-1.mimecast.com', 'mimecast', 'gateway'],
    ['mx-01-eu-west-1.prod.hydra.sophos.com', 'sophos', 'gateway'],
    ['mx1.cloudflare-email.net', 'cloudflare_area1', 'gateway'],
    ['d1.ess.barracudanetworks.com', 'barracuda', 'gateway'],
    ['d226511.a.ess.uk.barracudanetworks.com', 'barracuda', 'gateway'],
    ['d337206.a.ess.de.barracudanetworks.com', 'barracuda', 'gateway'],
    ['company.in.tmes.trendmicro.com', 'trend_micro', 'gateway'],
    ['company.in.tmes-anz.trendmicro.com', 'trend_micro', 'gateway'],
    ['company.in.tmems-jp.trendmicro.com', 'trend_micro', 'gateway'],
    ['in.hes.trendmicro.com', 'trend_micro', 'gateway'],
    ['in.hes.trendmicro.eu', 'trend_micro', 'gateway'],
    ['mx.expurgate.net', 'cyren', 'gateway'],
    ['mxa.expurgate.de', 'cyren', 'gateway'],
    ['mx1.altospam.com', 'altospam', 'gateway'],
    ['mx.spamdrain.net', 'spamdrain', 'gateway'],
    ['filter.mailguard.com.au', 'mailguard', 'gateway'],
    ['mx1.nz.smxemail.com', 'smx', 'gateway'],
    ['company-com.cloud.nospamproxy.com', 'nospamproxy', 'gateway'],
    ['company-com.mail.seppmail.cloud', 'seppmail', 'gateway'],
    ['agency-gov.mail.protection.office365.us', 'microsoft_365', 'mailbox_host'],
    ['mx1.hanmail.net', 'daum', 'mailbox_host'],
    ['smtpin.rzone.de', 'strato', 'mailbox_host'],
    ['kr1-aspmx1.worksmobile.com', 'naver_works', 'mailbox_host'],
    ['mail.tutanota.de', 'tuta', 'mailbox_host'],
    ['mail.tuta.com', 'tuta', 'mailbox_host'],
    ['mx.zohocloud.ca', 'zoho', 'mailbox_host'],
    ['pkvw-mx.msg.pkvw.co.charter.net', 'charter', 'mailbox_host'],
    ['smtp-in.sfr.fr', 'sfr', 'mailbox_host'],
    ['w0123456.kasserver.com', 'all_inkl', 'mailbox_host'],
    ['mx.core.locaweb.com.br', 'locaweb', 'mailbox_host'],
    ['mx1.mail.139.com', '139', 'mailbox_host'],
    ['mx1.larksuite.com', 'lark', 'mailbox_host'],
    ['mx1.mailanyone.net', 'fusemail', 'gateway'],
    ['mx1.mailchannels.net', 'mailchannels', 'gateway'],
    ['mx.bt.lon5.cpcloud.co.uk', 'bt', 'mailbox_host'],
    ['mx.tb.mail.iss.as9143.net', 'liberty_global', 'mailbox_host'],
    ['mx.transip.email', 'transip', 'mailbox_host'],
    ['mx00.udag.de', 'united_domains', 'mailbox_host'],
    ['mailcluster.loopia.se', 'loopia', 'mailbox_host'],
    ['mx.simply.com', 'simply', 'mailbox_host'],
    ['mx.uhserver.com', 'uol', 'mailbox_host'],
    ['sv1234.xserver.jp', 'xserver', 'mailbox_host'],
    ['mx1.name.com', 'name_com', 'forwarder'],
    ['gw3005.fortimail.com', 'fortimail', 'gateway'],
    ['company-com.snwlhosted.com', 'sonicwall', 'gateway'],
    ['www123.your-server.de', 'hetzner', 'mailbox_host'],
    ['mx001.netsol.xion.oxcs.net', 'ox_cloud', 'mailbox_host'],
    ['mx1c40.megamailservers.com', 'megamailservers', 'mailbox_host'],
    ['mx01.earthlink-vadesecure.net', 'earthlink', 'mailbox_host'],
    ['rx1.sparkpostmail.com', 'sparkpost', 'inbound_application'],
  ])('%s belongs to %s', (host, id, kind) => {
    expect(findProvider(host)).toMatchObject({ id, kind });
  });

  test.each([
    'mx.ordinary.example',
    'notgoogle.com',
    'google.com.attacker.example',
    'mx.ionos.attacker.example',
    'smtp.eu-west-1.amazonaws.com',
    'inbound-smtp.a.b.amazonaws.com.attacker.example',
    'protection.outlook.com',
    'ess.de.barracudanetworks.com.attacker.example',
    'www.barracudanetworks.com',
    'notduck.com',
    'www.139.com',
    '192.0.2.1',
  ])('%s belongs to no provider of the table', host => {
    expect(findProvider(host)).toBeUndefined();
  });

  // The first of each pair forwards mail; the second, of the same company, keeps it.
  test.each([
    ['eforward3.registrar-servers.com', 'namecheap_forwarding', 'mx1.privateemail.com', 'namecheap'],
    ['redirect.ovh.net', 'ovh_redirect', 'mx1.mail.ovh.net', 'ovh'],
    ['alt1.gmr-smtp-in.l.google.com', 'google_forwarding', 'alt1.aspmx.l.google.com', 'google_workspace'],
  ])('%s is told apart from a mailbox host of its house', (forwarder, forwarderId, host, hostId) => {
    expect(findProvider(forwarder)).toMatchObject({ id: forwarderId, kind: 'forwarder' });
    expect(findProvider(host)).toMatchObject({ id: hostId, kind: 'mailbox_host' });
  });

  test.each([
    ['mx1.simplelogin.co', 'simplelogin'],
    ['mail2.anonaddy.me', 'addy_io'],
    ['mail.addy.io', 'addy_io'],
    ['smtp-inbound1.duck.com', 'duckduckgo'],
    ['fwd1.porkbun.com', 'porkbun_forwarding'],
    ['mx1.forwardmx.io', 'forwardmx'],
    ['mx1.improvmx.com', 'improvmx'],
    ['mx2.forwardemail.net', 'forward_email'],
    ['pb-mx1.pobox.com', 'pobox'],
  ])('%s passes mail on: %s', (host, id) => {
    expect(findProvider(host)).toMatchObject({ id, kind: 'forwarder' });
  });

  test('of Google is Gmail only for the consumer domains', () => {
    expect(findProvider('gmail-smtp-in.l.google.com', 'gmail.com')?.id).toBe('gmail');
    expect(findProvider('gmail-smtp-in.l.google.com', 'googlemail.com')?.id).toBe('gmail');
    expect(findProvider('aspmx.l.google.com', 'gmail.com.example')?.id).toBe('google_workspace');
    expect(findProvider('mx.elsewhere.example', 'gmail.com')).toBeUndefined();
  });
});

describe('the table', () => {
  const entries = providerTable.flatMap(([, some]) => some);

  test('gives each identifier once, in lower case', () => {
    const ids = entries.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter(id => !/^[a-z0-9]+(?:_[a-z0-9]+)*$/.test(id))).toEqual([]);
  });

  test('gives each suffix once', () => {
    const suffixes = entries.flatMap(some => some.suffixes);
    expect(new Set(suffixes).size).toBe(suffixes.length);
  });

  test('is what the committed page shows', async () => {
    const committed = await readFile(new URL('../../../PROVIDERS.md', import.meta.url), 'utf8');
    expect(committed).toBe(providersPage());
  });
});

const gateway = 'mxb-00001.gslb.pphosted.com';

function foundHosts(...names: string[]) {
  const preferred = names[0] ?? gateway;
  return { kind: 'found' as const, preferred, hosts: names.map(name => ({ name })), hostsLeftOut: 0 };
}

/** Infers the provider for a company with these mail hosts and TXT records; any other query fails the test. */
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
    ['an unknown provider', 'v=spf1 include:spf.elsewhere.example -all'],
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

  test.each(sendingSpfNames)('%s names no provider', name => {
    expect(providerOfSpf({ includes: [name] })).toBeUndefined();
  });
});
