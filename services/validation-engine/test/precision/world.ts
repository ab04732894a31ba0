import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  type Catalog,
  catchAllPostfix,
  type DomainScript,
  microsoft365,
  type Reply,
  type SmtpScript,
  type WebScript,
} from '@mailproof/mail-lab';
import { z } from 'zod';

const share = z.number().min(0).max(1);
const seen = z.strictObject({ existing: share, missing: share });

const ratesFile = z.strictObject({
  about: z.string(),
  addressesPerDomain: z.strictObject({ min: z.int().positive(), max: z.int().positive() }),
  existing: share,
  domains: z.strictObject({
    mailboxHostBehindGateway: share,
    codeDiffers: share,
    statusDiffers: share,
    textDiffers: share,
    openpgpkey: share,
    smimea: share,
    webKeyDirectory: share,
    webfinger: share,
    site: share,
    webKnowsEveryone: share,
  }),
  seen: z.strictObject({
    mailboxHostBehindGateway: seen,
    codeDiffers: seen,
    statusDiffers: seen,
    textDiffers: seen,
    openpgpkey: seen,
    smimea: seen,
    webKeyDirectory: seen,
    webfinger: seen,
    onContactPage: seen,
    onTeamPage: seen,
    deliveredThisMonth: seen,
    deliveredLongAgo: seen,
    repliedThisMonth: seen,
    bounced: seen,
    othersDelivered: seen,
    othersBounced: seen,
    usualPattern: seen,
  }),
});

export type Rates = z.output<typeof ratesFile>;
type Evidence = keyof Rates['seen'];

export function loadRates(): Rates {
  return ratesFile.parse(JSON.parse(readFileSync(new URL('rates.json', import.meta.url), 'utf8')));
}

/** The same world with weaker evidence: each piece is seen half as often, and falsely twice as often. */
export function offByTwo(rates: Rates): Rates {
  const worse = Object.entries(rates.seen).map(([name, { existing, missing }]) => [
    name,
    negativeSources.has(name)
      ? { existing: Math.min(1, existing * 2), missing: missing / 2 }
      : { existing: existing / 2, missing: Math.min(1, missing * 2) },
  ]);
  return ratesFile.parse({ ...rates, seen: Object.fromEntries(worse) });
}

const negativeSources: ReadonlySet<string> = new Set(['bounced', 'othersBounced']);

/** An address of the world, with the truth about it and the reports of accounts. */
export interface WorldAddress {
  readonly email: string;
  readonly exists: boolean;
  /** It exists, and a published mail host of a mailbox provider does not know it, as the rates have it. */
  readonly isRefused: boolean;
  readonly reports: readonly { readonly by: 'asker' | 'others'; readonly report: object }[];
}

export interface World {
  readonly catalog: Catalog;
  readonly addresses: readonly WorldAddress[];
}

/** Creates domains until they have `addressCount` addresses. The same seed creates the same world. */
export function makeWorld(rates: Rates, seed: string, addressCount: number): World {
  const catalog: DomainScript[] = [];
  const addresses: WorldAddress[] = [];
  while (addresses.length < addressCount) {
    const domain = makeDomain(rates, seed, catalog.length, addressCount - addresses.length);
    catalog.push(domain.script);
    addresses.push(...domain.addresses);
  }
  return { catalog, addresses };
}

interface Mailbox {
  readonly localPart: string;
  readonly exists: boolean;
  /** The evidence seen for it, if its domain publishes such evidence. */
  readonly seen: ReadonlySet<Evidence>;
}

function makeDomain(rates: Rates, seed: string, index: number, atMost: number) {
  const random = randomOf(`${seed} ${index}`);
  const domain = `${seed}-${index}.example`;
  const { min, max } = rates.addressesPerDomain;
  const size = Math.min(atMost, min + Math.floor(random() * (max - min + 1)));
  const usual = pick(patterns, random);
  const mailboxes = Array.from({ length: size }, (_, number) => makeMailbox(rates, usual, number, random));
  const publishes = new Set(
    Object.entries(rates.domains).flatMap(([name, rate]) => (random() < rate ? [name] : [])),
  );
  const script = scriptOf(domain, index, publishes, (evidence: Evidence) =>
    mailboxes.flatMap(mailbox => (mailbox.seen.has(evidence) ? [mailbox.localPart] : [])),
  );
  const addresses = mailboxes.map(mailbox => ({
    email: `${mailbox.localPart}@${domain}`,
    exists: mailbox.exists,
    isRefused:
      mailbox.exists &&
      publishes.has('mailboxHostBehindGateway') &&
      !mailbox.seen.has('mailboxHostBehindGateway'),
    reports: reportsOn(`${mailbox.localPart}@${domain}`, mailbox.seen, random),
  }));
  return { script, addresses };
}

function makeMailbox(
  rates: Rates,
  usual: (typeof patterns)[number],
  number: number,
  random: () => number,
): Mailbox {
  const exists = random() < rates.existing;
  const seenHere = Object.entries(rates.seen).flatMap(([name, rate]) =>
    random() < (exists ? rate.existing : rate.missing) ? [name as Evidence] : [],
  );
  const pattern = seenHere.includes('usualPattern') ? usual : pick(patterns, random);
  // Names may repeat in the world, but not within a domain.
  const name = `${pick(surnames, random)}${letters(number)}`;
  return { localPart: pattern(pick(firstNames, random), name), exists, seen: new Set(seenHere) };
}

type Locals = (evidence: Evidence) => readonly string[];

function scriptOf(
  domain: string,
  index: number,
  publishes: ReadonlySet<string>,
  locals: Locals,
): DomainScript {
  const behindGateway = publishes.has('mailboxHostBehindGateway');
  const front = behindGateway ? `mxa-${domain.replaceAll('.', '-')}.gslb.pphosted.com` : `mx.${domain}`;
  const tenant = `${domain.replaceAll('.', '-')}.mail.protection.outlook.com`;
  const everybody = publishes.has('webKnowsEveryone');
  const webKeys = publishes.has('webKeyDirectory') ? locals('webKeyDirectory') : undefined;
  const accounts = publishes.has('webfinger') ? locals('webfinger') : undefined;
  const site = publishes.has('site') ? siteOf(domain, locals) : undefined;
  // Both methods of the directory occur.
  const direct = index % 2 === 0;
  return {
    domain,
    story: 'A made-up catch-all.',
    dns: {
      mx: behindGateway
        ? [
            [10, front],
            [20, tenant],
          ]
        : [[10, front]],
      ...(publishes.has('openpgpkey') && { openpgpkey: locals('openpgpkey') }),
      ...(publishes.has('smimea') && { smimea: locals('smimea') }),
    },
    hosts: {
      [front]: frontScript(publishes, locals),
      ...(behindGateway && { [tenant]: microsoft365(locals('mailboxHostBehindGateway')) }),
    },
    web: {
      ...((everybody || site || accounts !== undefined || (webKeys !== undefined && direct)) && {
        [domain]: {
          pages: {},
          ...site,
          ...(everybody
            ? { wkdDirect: 'everybody', webfinger: 'everybody' }
            : {
                ...(accounts !== undefined && { webfinger: accounts }),
                ...(webKeys !== undefined && direct && { wkdDirect: webKeys }),
              }),
        },
      }),
      ...(webKeys !== undefined &&
        !direct &&
        !everybody && { [`openpgpkey.${domain}`]: { wkdAdvanced: webKeys } }),
    },
    expected: [],
  };
}

/** A site whose pages all link to its contact page and to its team. */
function siteOf(domain: string, locals: Locals): WebScript {
  const nav = '<nav><a href="/contact">Contact</a> <a href="/team">Team</a></nav>';
  const listOf = (title: string, evidence: Evidence) => ({
    body: `<h1>${title}</h1>${nav}${locals(evidence)
      .map(localPart => `<p>${localPart}@${domain}</p>`)
      .join('')}`,
  });
  return {
    pages: {
      '/': { body: `<h1>Home</h1>${nav}` },
      '/contact': listOf('Contact', 'onContactPage'),
      '/team': listOf('Team', 'onTeamPage'),
    },
    otherPages: { status: 404, body: `<h1>Not found</h1>${nav}` },
  };
}

/** A host that accepts every recipient, and may reveal which ones it knows. */
function frontScript(publishes: ReadonlySet<string>, locals: Locals): SmtpScript {
  const known = (evidence: Evidence, reply: Reply) =>
    Object.fromEntries(locals(evidence).map(localPart => [localPart, reply]));
  if (publishes.has('codeDiffers')) {
    const mailboxes = known('codeDiffers', '250 2.1.5 Ok');
    return catchAllPostfix({ otherRecipients: '252 2.1.5 Will try to deliver', mailboxes });
  }
  if (publishes.has('statusDiffers')) {
    return catchAllPostfix({
      otherRecipients: '250 2.0.0 Ok',
      mailboxes: known('statusDiffers', '250 2.1.5 Ok'),
    });
  }
  if (publishes.has('textDiffers')) {
    return catchAllPostfix({ mailboxes: known('textDiffers', '250 2.1.5 Recipient is known') });
  }
  return catchAllPostfix();
}

const dayMs = 86_400_000;

function reportsOn(
  email: string,
  seenHere: ReadonlySet<Evidence>,
  random: () => number,
): WorldAddress['reports'] {
  const reports: { by: 'asker' | 'others'; report: object }[] = [];
  const add = (
    evidence: Evidence,
    by: 'asker' | 'others',
    report: object,
    fromDays: number,
    toDays: number,
  ) => {
    if (seenHere.has(evidence)) {
      const ageMs = (fromDays + random() * (toDays - fromDays)) * dayMs;
      const observedAt = new Date(Date.now() - ageMs).toISOString();
      reports.push({ by, report: { email, observedAt, ...report } });
    }
  };
  const bounce = { outcome: 'bounced', text: '550 5.1.1 User unknown' };
  add('deliveredThisMonth', 'asker', { outcome: 'delivered' }, 1, 30);
  add('deliveredLongAgo', 'asker', { outcome: 'delivered' }, 150, 650);
  add('repliedThisMonth', 'asker', { outcome: 'replied' }, 1, 30);
  add('bounced', 'asker', bounce, 31, 400);
  add('othersDelivered', 'others', { outcome: 'delivered' }, 1, 29);
  add('othersBounced', 'others', bounce, 31, 400);
  return reports;
}

const patterns = [
  (first: string, last: string) => `${first}.${last}`,
  (first: string, last: string) => `${first.charAt(0)}.${last}`,
  (first: string, last: string) => `${first.charAt(0)}${last}`,
  (first: string, last: string) => `${first}_${last}`,
] as const;
const firstNames = ['ada', 'grace', 'alan', 'katherine', 'edsger', 'barbara', 'donald', 'radia'] as const;
const surnames = [
  'lovelace',
  'hopper',
  'turing',
  'johnson',
  'dijkstra',
  'liskov',
  'knuth',
  'perlman',
] as const;

/** Writes a number in letters, so that no address has digits. */
function letters(number: number): string {
  return [...String(number)].map(digit => 'abcdefghij'.charAt(Number(digit))).join('');
}

function pick<Item>(items: readonly Item[], random: () => number): Item {
  return items[Math.floor(random() * items.length)] as Item;
}

/** Random numbers that depend only on the subject. */
function randomOf(subject: string): () => number {
  let counter = 0;
  return () => {
    counter += 1;
    return createHash('sha256').update(`${subject} ${counter}`).digest().readUIntBE(0, 6) / 2 ** 48;
  };
}
