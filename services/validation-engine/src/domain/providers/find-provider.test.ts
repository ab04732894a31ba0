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
  ])('%s belongs to nobody of the table', host => {
    expect(findProvider(host)).toBeUndefined();
  });

  // The first of each pair passes mail on; the second, of the same house, keeps it.
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
