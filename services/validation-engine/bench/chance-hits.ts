import { createHash } from 'node:crypto';
import { judgeComparison, type MadeUpAnswer } from '../src/domain/smtp/ask-made-up.ts';
import { keyedRandom, makeUpRecipients, randomBelow } from '../src/domain/smtp/made-up-recipients.ts';

/** How often a made-up recipient exists in one kind of domain. */
export interface ChanceHits {
  readonly population: string;
  /** The number of probed existing mailboxes, each at its own domain. */
  readonly asked: number;
  /** Domains in which the first made-up recipient in the form of the address exists. */
  readonly hits: number;
  /** Domains in which another mailbox showed that the host does know its recipients. */
  readonly resolved: number;
  /** Domains in which every probed mailbox exists, so that the domain looks like a catch-all. */
  readonly calledCatchAll: number;
}

interface Population {
  readonly name: string;
  readonly mailboxes: readonly string[];
  /** Additional mailboxes, too many to list. */
  readonly hasOthers?: (localPart: string) => boolean;
  /** Whether anyone may choose a mailbox there. */
  readonly isCrowded?: boolean;
}

const key = new TextEncoder().encode('a key for benchmarks, long enough to be one');
const askedOfEach = 1_000;

const firstNames =
  'ada alan alice anna ben bob carl clara dan david diana emil emma eva felix fred grace hans helena ida ines ivan jan jane jim john jonas julia kate ken lara lea leo lena lisa luca lucas lukas maria marie mark martin mary max mia michael mike nadia nick nina noah nora olga oscar otto pat paul peter petra rita robert rosa rudi ruth sam sara sarah simon sofia sonja susan tim tina tom tomas vera viktor vito walter yara zita'.split(
    ' ',
  );
const surnames =
  'adams allen baker bauer becker bell bianchi brown burns carter clark costa davis diaz fischer garcia gomez green hall harris hill hoffmann hughes jackson jansen johnson jones keller king klein kovac kumar lee lewis lopez martin meyer miller mitchell moore murphy nagy nelson novak olsen perez peters phillips ramos reed richter rivera roberts rossi ruiz russo santos schmidt schneider schulz silva singh smith taylor thomas torres turner vidal wagner walker weber white williams wilson wolf wong wright young zimmermann'.split(
    ' ',
  );

/** The kinds of domain in lists, from a shop to a provider with millions of mailboxes. */
function populations(): readonly Population[] {
  const random = keyedRandom(key, 'populations', 0);
  const pick = (names: readonly string[]) => names[randomBelow(random, names.length)] ?? '';
  const letter = () => pick(firstNames).charAt(0);
  const many = (count: number, make: (index: number) => string) => [
    ...new Set(Array.from({ length: count }, (_, index) => make(index))),
  ];
  return [
    { name: 'a shop: 5 functions', mailboxes: ['info', 'sales', 'office', 'hello', 'shop'] },
    { name: 'a company of 60: first names', mailboxes: many(60, () => pick(firstNames)) },
    {
      name: 'a company of 400: three initials',
      mailboxes: many(400, () => `${letter()}${letter()}${pick(surnames).charAt(0)}`),
    },
    {
      name: 'a company of 2,000: first.last',
      mailboxes: many(2_000, () => `${pick(firstNames)}.${pick(surnames)}`),
    },
    {
      name: 'a company of 2,000: initial and surname',
      mailboxes: many(2_000, () => `${letter()}${pick(surnames)}`),
    },
    {
      name: 'a university of 30,000: two letters and four digits',
      mailboxes: many(30_000, () => `${letter()}${letter()}${1_000 + randomBelow(random, 9_000)}`),
    },
    {
      name: 'a university of 30,000: numbers of five digits',
      mailboxes: many(30_000, index => String(20_000 + index)),
    },
    {
      name: 'a mailbox provider of millions',
      mailboxes: many(2_000, index => `${pick(firstNames)}${['', '.'][index % 2]}${pick(surnames)}`),
      hasOthers: isChosenByMillions,
      isCrowded: true,
    },
    {
      name: 'the same, not known as a mailbox provider',
      mailboxes: many(2_000, index => `${pick(firstNames)}${['', '.'][index % 2]}${pick(surnames)}`),
      hasOthers: isChosenByMillions,
    },
    {
      name: 'the same, names of two to five letters only',
      mailboxes: firstNames.filter(({ length }) => length < 6),
      hasOthers: isChosenByMillions,
    },
  ];
}

/** The share of taken names by length: nearly all short ones, and hardly any long one. */
const takenShares = [1, 1, 1, 1, 0.95, 0.85, 0.5, 0.15, 0.03, 0.006];

function isChosenByMillions(localPart: string): boolean {
  // People do not choose long names without a vowel.
  const share = takenShares[localPart.length] ?? (/[aeiou]/.test(localPart) ? 0.001 : 0);
  return createHash('sha256').update(localPart).digest().readUIntBE(0, 6) / 2 ** 48 < share;
}

/** Probes existing mailboxes, each at its own domain, and counts how the comparison with made-up recipients ends. */
export function countChanceHits(): readonly ChanceHits[] {
  return populations().map(population => {
    const verdicts = Array.from({ length: askedOfEach }, (_, index) => compare(population, index));
    const count = (is: (verdict: (typeof verdicts)[number]) => boolean) => verdicts.filter(is).length;
    return {
      population: population.name,
      asked: verdicts.length,
      hits: count(({ isHit }) => isHit),
      resolved: count(({ isHit, judgment }) => isHit && judgment === 'knows_recipients'),
      calledCatchAll: count(({ judgment }) => judgment === 'accepts_everybody'),
    };
  });
}

function compare({ mailboxes, hasOthers, isCrowded }: Population, index: number) {
  const known = new Set(mailboxes);
  const localPart = mailboxes[index % mailboxes.length] ?? '';
  const madeUp = makeUpRecipients(
    form => keyedRandom(key, `domain-${index}.example ${form}`, 0),
    localPart,
    isCrowded,
  ).map((recipient): MadeUpAnswer => {
    const exists = known.has(recipient.localPart) || hasOthers?.(recipient.localPart) === true;
    return { ...recipient, finding: exists ? 'accepted' : 'missing', first: true };
  });
  const alike = madeUp.filter(({ shape }) => shape === 'alike');
  const free = alike.findIndex(({ finding }) => finding === 'missing');
  // The random recipient, and those in the form of the address up to the first that does not exist.
  const asked = [
    ...madeUp.filter(({ shape }) => shape === 'random'),
    ...(free < 0 ? alike : alike.slice(0, free + 1)),
  ];
  return { isHit: free !== 0, judgment: judgeComparison(asked) };
}

/** The counts as a table of percentages. */
export function chanceHitsAsText(): string {
  const share = (count: number, of: number) => `${((100 * count) / of).toFixed(2)} %`.padStart(10);
  const rows = countChanceHits().map(
    ({ population, asked, hits, resolved, calledCatchAll }) =>
      `${population.padEnd(54)}${share(hits, asked)}${share(resolved, asked)}${share(calledCatchAll, asked)}\n`,
  );
  const head = `${'A made-up recipient in the form of the address'.padEnd(54)}${['exists', 'still ok', 'catch_all'].map(word => word.padStart(10)).join('')}\n`;
  return head + rows.join('');
}
