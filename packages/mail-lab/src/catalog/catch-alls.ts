import type { Catalog, SmtpScript } from '../script.ts';
import { catchAllPostfix, microsoft365, postfix } from './servers.ts';
import { catchAll, confirmed, exists, invalid, missing, unknown } from './verdicts.ts';

/** Domains that accept every recipient, and the hints that some of them give anyway. */
export const catchAlls: Catalog = [
  {
    domain: 'catch-all.example',
    story: 'Accepts every recipient.',
    dns: { mx: [[10, 'mx.catch-all.example']] },
    hosts: { 'mx.catch-all.example': catchAllPostfix() },
    expected: [catchAll('ada@catch-all.example'), catchAll('q7x2nobody@catch-all.example')],
  },
  {
    domain: 'fails-open.example',
    story:
      'A gateway that loses its list of recipients after its first two refusals, and then accepts every recipient.',
    dns: { mx: [[10, 'mx.fails-open.example']] },
    hosts: { 'mx.fails-open.example': postfix(['ada'], { failsOpenAfter: 2 }) },
    expected: [
      exists('ada@fails-open.example'),
      catchAll('nobody@fails-open.example'),
      catchAll('former.colleague@fails-open.example'),
    ],
  },
  {
    domain: 'short-names.example',
    story:
      'Calls every name of more than ten characters unknown, and accepts all others, whether they exist or not.',
    dns: { mx: [[10, 'mx.short-names.example']] },
    hosts: { 'mx.short-names.example': catchAllPostfix({ refusedForm: refusedForm(/^.{11,}$/) }) },
    expected: [
      catchAll('hello@short-names.example'),
      catchAll('a.b@short-names.example'),
      missing('somebody.else@short-names.example'),
    ],
  },
  {
    domain: 'pronounceable-names.example',
    story:
      'Calls names unknown that have five consonants in a row, and accepts all others, whether they exist or not.',
    dns: { mx: [[10, 'mx.pronounceable-names.example']] },
    hosts: {
      'mx.pronounceable-names.example': catchAllPostfix({
        refusedForm: refusedForm(/[bcdfghjklmnpqrstvwxz]{5}/),
      }),
    },
    expected: [
      catchAll('hello@pronounceable-names.example'),
      catchAll('ada.lovelace@pronounceable-names.example'),
      missing('qwrtzpl@pronounceable-names.example'),
    ],
  },
  {
    domain: 'plain-names.example',
    story: 'Calls names with a digit or a dot unknown, and accepts all others, whether they exist or not.',
    dns: { mx: [[10, 'mx.plain-names.example']] },
    hosts: { 'mx.plain-names.example': catchAllPostfix({ refusedForm: refusedForm(/[\d.]|^.{11,}$/) }) },
    expected: [catchAll('sales@plain-names.example'), missing('ada.lovelace@plain-names.example')],
  },
  {
    domain: 'percent-names.example',
    story:
      'Accepts every name with a percent sign, as if it routed on the rest, and calls all others unknown.',
    dns: { mx: [[10, 'mx.percent-names.example']] },
    hosts: {
      'mx.percent-names.example': catchAllPostfix({
        refusedForm: refusedForm(/^[^%]*$/),
      }),
    },
    expected: [
      catchAll('ada%elsewhere.example@percent-names.example'),
      missing('nobody@percent-names.example'),
    ],
  },
  {
    domain: 'catch-all-except.example',
    story: 'Accepts random names and still refuses the people who left, by name.',
    dns: { mx: [[10, 'mx.catch-all-except.example']] },
    hosts: {
      'mx.catch-all-except.example': catchAllPostfix({
        mailboxes: {
          gone: '550 5.1.1 <{recipient}>: Recipient address rejected: User unknown',
          former: '550 5.2.1 <{recipient}>: Recipient address rejected: Account disabled',
        },
      }),
    },
    expected: [
      catchAll('ada@catch-all-except.example'),
      missing('gone@catch-all-except.example'),
      invalid('former@catch-all-except.example', 'mailbox_disabled'),
    ],
  },
  {
    domain: 'catch-all-full.example',
    story: 'Accepts random names and says that two real mailboxes are full.',
    dns: { mx: [[10, 'mx.catch-all-full.example']] },
    hosts: {
      'mx.catch-all-full.example': catchAllPostfix({
        mailboxes: {
          full: '452 4.2.2 <{recipient}>: Recipient address rejected: Mailbox full',
          stuffed: '552 5.2.2 <{recipient}>: Recipient address rejected: Quota exceeded',
        },
      }),
    },
    expected: [
      catchAll('ada@catch-all-full.example'),
      unknown('full@catch-all-full.example', 'mailbox_full'),
      unknown('stuffed@catch-all-full.example', 'mailbox_full'),
    ],
  },
  {
    domain: 'gateway.example',
    story:
      'A filtering gateway takes every recipient, while the less preferred tenant behind it knows who is missing.',
    dns: {
      mx: [
        [10, 'mxa-00000.gslb.pphosted.com'],
        [20, 'gateway-example.mail.protection.outlook.com'],
      ],
      txt: { '@': ['v=spf1 include:spf.protection.outlook.com include:spf-00000.pphosted.com -all'] },
    },
    hosts: {
      'mxa-00000.gslb.pphosted.com': catchAllPostfix({
        banner: '220 {host} ESMTP mfa-m0000000',
      }),
      'gateway-example.mail.protection.outlook.com': microsoft365(['ada', 'grace']),
    },
    expected: [confirmed('ada@gateway.example'), missing('nobody@gateway.example')],
  },
  {
    domain: 'keys-in-dns.example',
    story: 'A catch-all where ada has published an OpenPGP key and an S/MIME certificate in DNS.',
    dns: { mx: [[10, 'mx.keys-in-dns.example']], openpgpkey: ['ada'], smimea: ['ada'] },
    hosts: { 'mx.keys-in-dns.example': catchAllPostfix() },
    expected: [confirmed('ada@keys-in-dns.example'), catchAll('nobody@keys-in-dns.example')],
  },
  {
    domain: 'wkd-advanced.example',
    story: 'A catch-all where ada has published a key in a Web Key Directory on its own host.',
    dns: { mx: [[10, 'mx.wkd-advanced.example']] },
    hosts: { 'mx.wkd-advanced.example': catchAllPostfix() },
    web: { 'openpgpkey.wkd-advanced.example': { wkdAdvanced: ['ada'] } },
    expected: [confirmed('ada@wkd-advanced.example'), catchAll('nobody@wkd-advanced.example')],
  },
  {
    domain: 'wkd-direct.example',
    story: 'A catch-all where ada has published a key in a Web Key Directory on the domain itself.',
    dns: { mx: [[10, 'mx.wkd-direct.example']] },
    hosts: { 'mx.wkd-direct.example': catchAllPostfix() },
    web: { 'wkd-direct.example': { wkdDirect: ['ada'], pages: {} } },
    expected: [confirmed('ada@wkd-direct.example'), catchAll('nobody@wkd-direct.example')],
  },
  {
    domain: 'webfinger.example',
    story: 'A catch-all whose WebFinger service knows ada, which is an account and not surely a mailbox.',
    dns: { mx: [[10, 'mx.webfinger.example']] },
    hosts: { 'mx.webfinger.example': catchAllPostfix() },
    web: { 'webfinger.example': { webfinger: ['ada'], pages: {} } },
    expected: [catchAll('ada@webfinger.example'), catchAll('nobody@webfinger.example')],
  },
  {
    domain: 'web-knows-everybody.example',
    story: 'A catch-all whose web services know every address, so what they say is no evidence.',
    dns: { mx: [[10, 'mx.web-knows-everybody.example']] },
    hosts: { 'mx.web-knows-everybody.example': catchAllPostfix() },
    web: {
      'web-knows-everybody.example': { wkdDirect: 'everybody', webfinger: 'everybody', pages: {} },
      'openpgpkey.web-knows-everybody.example': { wkdAdvanced: 'everybody' },
    },
    expected: [catchAll('ada@web-knows-everybody.example')],
  },
  {
    domain: 'web-in-trouble.example',
    story: 'A catch-all whose key directory has no trusted certificate and whose WebFinger service hangs.',
    dns: { mx: [[10, 'mx.web-in-trouble.example']] },
    hosts: { 'mx.web-in-trouble.example': catchAllPostfix() },
    web: {
      'openpgpkey.web-in-trouble.example': { wkdAdvanced: ['ada'], certificate: 'self_signed' },
      'web-in-trouble.example': { webfinger: ['ada'], silent: true, pages: {} },
    },
    expected: [catchAll('ada@web-in-trouble.example')],
  },
  {
    domain: 'contact-page.example',
    story:
      'A catch-all whose contact page prints the address of ada, and whose guestbook prints that of a visitor.',
    dns: { mx: [[10, 'mx.contact-page.example']] },
    hosts: { 'mx.contact-page.example': catchAllPostfix() },
    web: {
      'contact-page.example': {
        pages: {
          '/robots.txt': 'User-agent: *\nDisallow: /private\n',
          '/': {
            body: '<h1>Lovelace & Co.</h1><nav><a href="/contact">Contact</a> <a href="/guestbook">Guestbook</a></nav>',
          },
          '/contact': { body: '<h1>Contact</h1><p>Write to ada@contact-page.example.</p>' },
          '/guestbook': { body: '<ol class="guestbook"><li>Nice! visitor@contact-page.example</li></ol>' },
        },
      },
    },
    expected: [
      confirmed('ada@contact-page.example'),
      catchAll('visitor@contact-page.example'),
      catchAll('nobody@contact-page.example'),
    ],
  },
  {
    domain: 'site-at-www.example',
    story:
      'A catch-all whose site moved to its www host, where the imprint prints addresses that simple programs cannot read.',
    dns: { mx: [[10, 'mx.site-at-www.example']] },
    hosts: { 'mx.site-at-www.example': catchAllPostfix() },
    web: {
      'site-at-www.example': {
        pages: {
          '/robots.txt': { status: 301, headers: { location: 'https://www.site-at-www.example/robots.txt' } },
          '/': { status: 301, headers: { location: 'https://www.site-at-www.example/' } },
        },
      },
      'www.site-at-www.example': {
        pages: {
          '/impressum': {
            body: '<h1>Impressum</h1><p>post [at] site-at-www [punkt] example</p><p>grace&#64;site-at-www.example</p>',
          },
        },
        otherPages: {
          status: 404,
          body: '<p>{path} gibt es nicht.</p><footer><a href="/impressum">Impressum</a></footer>',
        },
      },
    },
    expected: [
      confirmed('post@site-at-www.example'),
      confirmed('grace@site-at-www.example'),
      catchAll('nobody@site-at-www.example'),
    ],
  },
  {
    domain: 'site-of-every-page.example',
    story: 'A catch-all whose site has every page and prints an address for each, so it proves nothing.',
    dns: { mx: [[10, 'mx.site-of-every-page.example']] },
    hosts: { 'mx.site-of-every-page.example': catchAllPostfix() },
    web: {
      'site-of-every-page.example': {
        pages: { '/robots.txt': '', '/contact': { body: '<p>ada@site-of-every-page.example</p>' } },
        otherPages: {
          body: '<a href="/contact">Contact</a><p>Ask about this at {path}@site-of-every-page.example</p>',
        },
      },
    },
    expected: [catchAll('ada@site-of-every-page.example')],
  },
  {
    domain: 'site-for-collectors.example',
    story:
      'A catch-all whose contact page prints hundreds of made-up addresses for programs that collect them.',
    dns: { mx: [[10, 'mx.site-for-collectors.example']] },
    hosts: { 'mx.site-for-collectors.example': catchAllPostfix() },
    web: {
      'site-for-collectors.example': {
        pages: {
          '/': { body: '<a href="/contact">Contact</a>' },
          '/contact': { body: `<p>ada@site-for-collectors.example</p>${madeUpList(500)}` },
        },
      },
    },
    expected: [catchAll('ada@site-for-collectors.example')],
  },
];

function madeUpList(count: number): string {
  return Array.from({ length: count }, (_, at) => `<li>person${at}@site-for-collectors.example</li>`).join(
    '',
  );
}

function refusedForm(form: RegExp): NonNullable<SmtpScript['refusedForm']> {
  return { form, reply: '550 5.1.1 <{recipient}>: Recipient address rejected: User unknown' };
}
