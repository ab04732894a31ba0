import {
  type Catalog,
  catchAllPostfix,
  type DomainScript,
  microsoft365,
  type SmtpScript,
} from '@mailproof/mail-lab';
import { type Company, makeCompany, roleNames } from './company.ts';
import { fullName, localPartOf, makeName, type PersonName } from './names.ts';
import { between, pick, pickWeighted, type Random, randomOf, someOf } from './random.ts';
import {
  type AskedKind,
  type Pattern,
  type Provider,
  patterns,
  type Rates,
  type Size,
  sizes,
} from './rates.ts';
import { makeSite, type Site } from './site.ts';

/** An address of the list that is asked about, with the truth about it. */
export interface AskedAddress {
  readonly email: string;
  readonly kind: AskedKind;
  readonly exists: boolean;
  readonly provider: Provider;
  readonly size: Size;
  /** What can be known from all that is published and stored. */
  readonly evidence: {
    /** Printed where a program reads it, and not as a trap. */
    readonly printed: boolean;
    /** A host of the domain or a directory tells it from made-up ones. */
    readonly told: boolean;
    /** The store lists its owner by the right name. */
    readonly knownHalf: boolean;
    readonly knownFull: boolean;
    /** The store lists someone among the staff whose name makes it by the company’s main pattern. */
    readonly fitsHalf: boolean;
    readonly fitsFull: boolean;
  };
  /** The main pattern of the company. */
  readonly pattern: Pattern;
  /** How the name of the row makes the local part; undefined for a row without a person. */
  readonly rowName: 'by_main_pattern' | 'by_other_pattern' | 'not' | undefined;
}

/** A line of the file that fills a people store. */
export interface StorePerson {
  readonly profileUrl: string;
  readonly fullName: string;
  readonly country: string;
  readonly companyDomain: string;
  readonly isInHalf: boolean;
  /** Whether the store learned later that the person works elsewhere. */
  readonly hasMoved: boolean;
}

export interface Population {
  readonly catalog: Catalog;
  readonly addresses: readonly AskedAddress[];
  readonly people: readonly StorePerson[];
}

/** Makes companies until there are `addressCount` addresses to ask about. The same seed makes the same population. */
export function makePopulation(rates: Rates, seed: string, addressCount: number): Population {
  const catalog: DomainScript[] = [];
  const addresses: AskedAddress[] = [];
  const people: StorePerson[] = [];
  for (let number = 0; addresses.length < addressCount; number += 1) {
    const random = randomOf(`${seed} ${number}`);
    const size = sizeOf(rates, random);
    const domain = `${seed}-${number}.example`;
    const company = makeCompany(domain, size, rates, random);
    const site = makeSite(company, number, rates, random);
    const directories = makeDirectories(company, rates, random);
    const mailHosts = makeMailHosts(company, rates, random);
    catalog.push(scriptOf(company, site, directories, mailHosts));
    const wanted = Math.min(between(rates.askedPerCompany[size], random), addressCount - addresses.length);
    addresses.push(
      ...ask(company, site, new Set([...directories.known, ...mailHosts.known]), wanted, rates, random),
    );
    people.push(
      ...company.store.map(({ name, isInHalf, hasMoved }, index) => ({
        profileUrl: `https://www.linkedin.com/in/${domain.replace('.', '-')}-${index}`,
        fullName: fullName(name),
        country: name.country.toUpperCase(),
        companyDomain: domain,
        isInHalf,
        hasMoved,
      })),
    );
  }
  return { catalog, addresses, people };
}

/** The rates say which share of the addresses is of each size; larger companies have more addresses each. */
function sizeOf({ shareOfAddresses, askedPerCompany }: Rates, random: Random): Size {
  const weights = sizes.map(size => {
    const { min, max } = askedPerCompany[size];
    return [size, { value: (shareOfAddresses[size].value * 2) / (min + max) }] as const;
  });
  return pickWeighted(Object.fromEntries(weights) as Record<Size, { value: number }>, random);
}

interface Directories {
  readonly dns: { readonly openpgpkey?: readonly string[]; readonly smimea?: readonly string[] };
  readonly web: {
    readonly wkdDirect?: readonly string[];
    readonly webfinger?: readonly string[] | 'everybody';
  };
  /** Local parts with a key. */
  readonly known: readonly string[];
}

function makeDirectories({ staff, leavers }: Company, { directories }: Rates, random: Random): Directories {
  const members = () =>
    [
      ...someOf(staff, directories.staffInDirectory.value, random),
      ...someOf(
        leavers,
        directories.staffInDirectory.value * directories.leaverStaysInDirectory.value,
        random,
      ),
    ].map(({ localPart }) => localPart);
  const has = (of: { readonly value: number }) => (random() < of.value ? members() : undefined);
  const [openpgpkey, smimea] = [has(directories.openpgpkey), has(directories.smimea)];
  const [wkdDirect, accounts] = [has(directories.webKeyDirectory), has(directories.webfinger)];
  const knowsEveryone = random() < directories.webfingerKnowsEveryone.value;
  return {
    dns: { ...(openpgpkey && { openpgpkey }), ...(smimea && { smimea }) },
    web: {
      ...(wkdDirect && { wkdDirect }),
      ...(accounts && { webfinger: knowsEveryone ? ('everybody' as const) : accounts }),
    },
    known: [...(openpgpkey ?? []), ...(smimea ?? []), ...(wkdDirect ?? [])],
  };
}

interface MailHosts {
  readonly mx: readonly (readonly [number, string])[];
  readonly hosts: Readonly<Record<string, SmtpScript>>;
  readonly known: readonly string[];
}

/** In the lab each domain has its own hosts, so that no host has more to do than it would have in a list of a day. */
const hostNames: Readonly<Record<Provider, (label: string, domain: string) => string>> = {
  self_hosted: (_label, domain) => `mx.${domain}`,
  google_workspace: label => `${label}.aspmx.l.google.com`,
  microsoft_365: label => `${label}.mail.protection.outlook.com`,
  proofpoint: label => `mxa-${label}.gslb.pphosted.com`,
  mimecast: label => `${label}.eu-smtp-inbound-1.mimecast.com`,
  barracuda: label => `d-${label}.ess.barracudanetworks.com`,
  other_host: label => `${label}.mx.zoho.com`,
};
const gateways: ReadonlySet<Provider> = new Set(['proofpoint', 'mimecast', 'barracuda']);

function makeMailHosts(
  { domain, provider, mailboxes }: Company,
  { mailHosts }: Rates,
  random: Random,
): MailHosts {
  const label = domain.replaceAll('.', '-');
  const front = hostNames[provider](label, domain);
  const all = [...mailboxes];
  if (gateways.has(provider) && random() < mailHosts.tenantBehindGatewayPublished.value) {
    const tenant = hostNames.microsoft_365(label, domain);
    return {
      mx: [
        [10, front],
        [20, tenant],
      ],
      hosts: { [front]: catchAllPostfix(), [tenant]: microsoft365(all) },
      known: all,
    };
  }
  const alone = (script: SmtpScript, known: readonly string[] = []): MailHosts => ({
    mx: [[10, front]],
    hosts: { [front]: script },
    known,
  });
  const replies = (reply: string) => Object.fromEntries(all.map(localPart => [localPart, reply]));
  if (random() < mailHosts.replyCodeDiffers.value) {
    return alone(
      catchAllPostfix({
        otherRecipients: '252 2.1.5 Will try to deliver',
        mailboxes: replies('250 2.1.5 Ok'),
      }),
      all,
    );
  }
  if (random() < mailHosts.replyStatusDiffers.value) {
    return alone(catchAllPostfix({ otherRecipients: '250 2.0.0 Ok', mailboxes: replies('250 2.1.5 Ok') }));
  }
  if (random() < mailHosts.replyTextDiffers.value) {
    return alone(catchAllPostfix({ mailboxes: replies('250 2.1.5 Recipient is known') }));
  }
  if (random() < mailHosts.replyTextVaries.value) {
    return alone(catchAllPostfix({ otherRecipients: '250 2.1.5 {localPart} accepted' }));
  }
  return alone(catchAllPostfix());
}

function scriptOf(
  { domain }: Company,
  site: Site,
  directories: Directories,
  { mx, hosts }: MailHosts,
): DomainScript {
  const own = site.web[domain];
  return {
    domain,
    story: 'A company of the population.',
    dns: { mx, ...directories.dns },
    hosts,
    web: {
      ...site.web,
      ...((own !== undefined || Object.keys(directories.web).length > 0) && {
        [domain]: { pages: {}, ...own, ...directories.web },
      }),
    },
    expected: [],
  };
}

const tries = 20;

function ask(
  company: Company,
  site: Site,
  told: ReadonlySet<string>,
  wanted: number,
  rates: Rates,
  random: Random,
): AskedAddress[] {
  const asked = new Map<string, Row>();
  for (let attempt = 0; asked.size < wanted && attempt < wanted * tries; attempt += 1) {
    const kind = pickWeighted(rates.asked, random);
    const { localPart, name } = rowOf(kind, company, site, rates, random);
    if (localPart !== undefined && localPart !== '' && !asked.has(localPart)) {
      asked.set(localPart, { kind, name });
    }
  }
  const known = new Map(
    company.store.flatMap(({ localPart, isInHalf, hasMoved }) =>
      localPart === undefined || hasMoved ? [] : [[localPart, isInHalf] as const],
    ),
  );
  const fitting = (entries: Company['store']) =>
    new Set(
      entries
        .filter(({ hasMoved }) => !hasMoved)
        .map(({ name }) => localPartOf(name, company.pattern, company.rules)),
    );
  const [fitsHalf, fitsFull] = [
    fitting(company.store.filter(({ isInHalf }) => isInHalf)),
    fitting(company.store),
  ];
  return [...asked].map(([localPart, { kind, name }]) => ({
    email: `${localPart}@${company.domain}`,
    kind,
    exists: company.mailboxes.has(localPart),
    provider: company.provider,
    size: company.size,
    evidence: {
      printed: site.readable.has(localPart),
      told: told.has(localPart),
      knownHalf: known.get(localPart) === true,
      knownFull: known.has(localPart),
      fitsHalf: fitsHalf.has(localPart),
      fitsFull: fitsFull.has(localPart),
    },
    pattern: company.pattern,
    rowName: name && howMade(localPart, name, company),
  }));
}

interface Row {
  readonly kind: AskedKind;
  /** Of the person whom the row names. */
  readonly name: PersonName | undefined;
}

/**
 * A list that a vendor makes of names alone: `first.last` for every person whom a people store lists at a company. Each
 * row names its person, so each fits its own name.
 */
export function makeGuessedList(
  rates: Rates,
  seed: string,
  companyCount: number,
): readonly Pick<AskedAddress, 'exists' | 'rowName'>[] {
  return Array.from({ length: companyCount }, (_, number) => {
    const random = randomOf(`${seed} ${number}`);
    const company = makeCompany(`${seed}-${number}.example`, sizeOf(rates, random), rates, random);
    return company.store.map(({ name }) => {
      const localPart = localPartOf(name, 'first.last', company.rules);
      return { exists: company.mailboxes.has(localPart), rowName: howMade(localPart, name, company) };
    });
  }).flat();
}

function howMade(
  localPart: string,
  name: PersonName,
  { pattern, rules }: Pick<Company, 'pattern' | 'rules'>,
): NonNullable<AskedAddress['rowName']> {
  const isMadeBy = (by: Pattern) => localPartOf(name, by, rules) === localPart;
  return isMadeBy(pattern) ? 'by_main_pattern' : patterns.some(isMadeBy) ? 'by_other_pattern' : 'not';
}

/** The order in which finders guess. */
const guessed: readonly (readonly [Pattern, number])[] = [
  ['first.last', 0.5],
  ['flast', 0.2],
  ['first', 0.12],
  ['firstlast', 0.08],
  ['f.last', 0.07],
  ['last', 0.03],
];

/** A row of the list. Every source of addresses of people names the person too. */
function rowOf(
  kind: AskedKind,
  company: Company,
  site: Site,
  rates: Rates,
  random: Random,
): { readonly localPart?: string | undefined; readonly name?: PersonName | undefined } {
  const { staff, leavers, strangers, roles, pattern, rules } = company;
  switch (kind) {
    case 'staff':
      return pick(staff, random);
    case 'role':
      return roles.length > 0 ? { localPart: pick(roles, random) } : {};
    case 'leaver':
      return leavers.length > 0 ? pick(leavers, random) : {};
    case 'permutedGuess': {
      const guess = pickWeighted(
        Object.fromEntries(guessed.map(([name, value]) => [name, { value }])) as Record<
          Pattern,
          { value: number }
        >,
        random,
      );
      if (guess === pattern) {
        return {};
      }
      const { name } = pick(staff, random);
      return { localPart: localPartOf(name, guess, rules), name };
    }
    case 'notStaff': {
      // Lists are made from the same entries that a store has.
      const name = strangers.length > 0 ? pick(strangers, random) : makeName('us', rates, random);
      return { localPart: localPartOf(name, pattern, rules), name };
    }
    case 'typo': {
      const { localPart, name } = pick(staff, random);
      return { localPart: mistyped(localPart, random), name };
    }
    case 'random': {
      if (random() < 0.5) {
        const name = makeName('us', rates, random);
        return { localPart: localPartOf(name, 'first.last', rules), name };
      }
      const letters = [...'abcdefghijklmnopqrstuvwxyz0123456789'];
      const length = between({ min: 5, max: 12 }, random);
      return { localPart: Array.from({ length }, () => pick(letters, random)).join('') };
    }
    case 'roleGuess':
      return { localPart: pick(roleNames, random) };
    case 'scraped':
      return site.inSource.length > 0 ? { localPart: pick(site.inSource, random) } : {};
  }
}

/** Two letters swapped, one left out, or one doubled. */
function mistyped(localPart: string, random: Random): string | undefined {
  const at = Math.floor(random() * (localPart.length - 1));
  const [before, one, other, after] = [
    localPart.slice(0, at),
    localPart.charAt(at),
    localPart.charAt(at + 1),
    localPart.slice(at + 2),
  ];
  const wrong = pick(
    [`${before}${other}${one}${after}`, `${before}${other}${after}`, `${before}${one}${one}${other}${after}`],
    random,
  );
  return wrong === localPart || !/^[a-z0-9]+(?:[._-][a-z0-9]+)*$/.test(wrong) ? undefined : wrong;
}
