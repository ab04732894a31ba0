import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { findProvider, providerTable } from './find-provider.ts';
import { providersPage } from './providers-page.ts';

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
    '192.0.2.1',
  ])('%s belongs to nobody of the table', host => {
    expect(findProvider(host)).toBeUndefined();
  });

  test('of Google is Gmail for the consumer domains alone', () => {
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
