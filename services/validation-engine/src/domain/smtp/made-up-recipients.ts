import { createHash } from 'node:crypto';

/**
 * A recipient that most likely does not exist, made up to find out whether a host is a catch-all. A `random` one is
 * long and meaningless; an `alike` one has the form of the probed address.
 */
export interface MadeUpRecipient {
  readonly shape: 'alike' | 'random';
  readonly localPart: string;
}

// Letters that are not mistaken for digits in a log and that few names consist of.
const consonants = 'bdfgjkmnprstvz';
/** Those that most names have, for draws in the form of an address: a host may refuse rare letters. */
const commonConsonants = 'bdfgmnprst';
const vowels = 'aeiu';
const digits = '23456789';

/**
 * How many names are drawn in the form of the address: a host that accepts all of them accepts anything of that form.
 */
export const alikeDraws = 4;

/** At domains where millions choose their names, nearly every shorter pronounceable name exists. */
const crowdedLengthMin = 9;

/** How many characters longer an address may be than a made-up one that speaks for it. */
const lengthSlack = 3;

/**
 * Makes the recipients to compare an address with: draws in its form, and one long random name. Hosts that refuse by
 * form, such as names over ten letters or without vowels, accept or refuse the draws as they do the address. So do hosts
 * that go by the first or the last letter, which the draws share with it.
 *
 * @param randomOf returns the same numbers each time for the same form, because a greylist admits only recipients that
 *   it has seen before
 * @param isCrowded whether anyone can choose a mailbox name at the domain
 */
export function makeUpRecipients(
  randomOf: (form: string) => Random,
  localPart: string,
  isCrowded = false,
): readonly MadeUpRecipient[] {
  const runs = runsOf(localPart, isCrowded);
  const random = randomOf(runs.map(formOf).join(''));
  const taken = new Set([localPart.toLowerCase()]);
  const alike = Array.from({ length: alikeDraws }, (): MadeUpRecipient => {
    let drawn = draw(random, runs);
    // A form of one letter has few names; a number is added before all are used up.
    for (let tries = 0; taken.has(drawn); tries += 1) {
      drawn = `${draw(random, runs)}${tries < 20 ? '' : tries}`;
    }
    taken.add(drawn);
    return { shape: 'alike', localPart: inWireForm(drawn) };
  });
  return [...alike, { shape: 'random', localPart: randomName(randomOf('')) }];
}

/** Whether the answer about one made-up recipient also speaks for addresses in the form of another. */
export function speaksFor(
  { localPart: one }: MadeUpRecipient,
  { localPart: other }: MadeUpRecipient,
): boolean {
  // A longer one never speaks for a shorter one: the host may refuse every long one.
  const isNear = other.length <= one.length + lengthSlack || one.length > lengthOfLong;
  return one.length <= other.length && isNear && outlineOf(one) === outlineOf(other);
}

/** Beyond this length, in characters, a few more make no difference. */
const lengthOfLong = 12;

/** Which marks a local part has, whether it has digits, and whether it begins or ends with one. */
function outlineOf(localPart: string): string {
  const [first = '', last = ''] = [localPart.at(0), localPart.at(-1)].map(end => end?.replace(/[a-z]/i, 'a'));
  return `${first}${localPart.replace(/[a-z]+/gi, '').replace(/\d+/g, '9')}${last}`.replace(/\d/g, '9');
}

interface Run {
  readonly kind: 'letters' | 'digits' | 'mark';
  readonly text: string;
  /** The letters that a draw keeps at the beginning and at the end of the run; empty for none. */
  readonly first: string;
  readonly last: string;
}

/** What is the same in all draws for an address. */
function formOf({ kind, text, first, last }: Run): string {
  return kind === 'mark' ? text : `${kind}${first}${text.length}${last}`;
}

/** With fewer letters than this, a draw keeps none, or only the first: it must differ from the address. */
const lettersToKeepFirst = 3;
const lettersToKeepBoth = 5;

/** Marks the letters that the draws keep: the first and the last character of the local part, if they are letters. */
function withEnds(runs: readonly Omit<Run, 'first' | 'last'>[]): readonly Run[] {
  const letters = runs.reduce((sum, { kind, text }) => sum + (kind === 'letters' ? text.length : 0), 0);
  const at = (text: string, index: number, lettersMin: number) => {
    const letter = text.at(index)?.toLowerCase() ?? '';
    return letters >= lettersMin && /^[a-z]$/.test(letter) ? letter : '';
  };
  return runs.map((run, index) => ({
    ...run,
    first: index === 0 ? at(run.text, 0, lettersToKeepFirst) : '',
    last: index === runs.length - 1 ? at(run.text, -1, lettersToKeepBoth) : '',
  }));
}

/**
 * The runs of letters, of digits and the marks between them. Hosts accept recipients for their marks: any that they
 * would route on, as in `ada%a.example`, or any in quotes. Marks outside of ASCII are left out.
 */
function runsOf(localPart: string, isCrowded: boolean): readonly Run[] {
  const all = (localPart.match(/[\p{L}\p{M}]+|\p{N}+|[ -~]/gu) ?? []).map(text => {
    const kind: Run['kind'] = /^\p{N}/u.test(text)
      ? 'digits'
      : /^[\p{L}\p{M}]/u.test(text)
        ? 'letters'
        : 'mark';
    return { kind, text };
  });
  // A dot must stand between two other characters (RFC 5321 section 4.1.2).
  const undotted = all.filter(({ text }, index) => text !== '.' || (all[index - 1]?.text ?? '.') !== '.');
  const runs = undotted.at(-1)?.text === '.' ? undotted.slice(0, -1) : undotted;
  const length = runs.reduce((sum, { text }) => sum + text.length, 0);
  const isNameless = runs.every(({ kind }) => kind === 'mark');
  const missing = isNameless ? crowdedLengthMin : isCrowded ? crowdedLengthMin - length : 0;
  const longest = runs.findLast(({ kind }) => kind === 'letters');
  if (missing <= 0) {
    return withEnds(runs);
  }
  const more = 'a'.repeat(missing);
  return longest === undefined
    ? withEnds([...runs, { kind: 'letters', text: more }])
    : withEnds(
        runs.map((run, index) => (run === longest ? { ...run, text: longer(run.text, index === 0) } : run)),
      );

  /** The ends of the local part stay. */
  function longer(text: string, isFirst: boolean): string {
    const kept = isFirst || text.length > 1 ? 1 : 0;
    return `${text.slice(0, kept)}${more}${text.slice(kept)}`;
  }
}

/** A local part as it is sent, in quotes where it needs them (RFC 5321 section 4.1.2). */
function inWireForm(localPart: string): string {
  return /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/.test(localPart)
    ? localPart
    : `"${localPart.replace(/["\\]/g, '\\$&')}"`;
}

function draw(random: Random, runs: readonly Run[]): string {
  return runs.map(run => drawRun(random, run)).join('');
}

function drawRun(random: Random, run: Run): string {
  switch (run.kind) {
    case 'mark':
      return run.text;
    case 'digits':
      return pick(random, digits, run.text.length);
    case 'letters':
      return pronounceable(random, run);
  }
}

/** Alternates consonants and vowels between the letters that are kept, with two consonants if the last letter requires it. */
function pronounceable(random: Random, { text: { length }, first, last }: Run): string {
  const vowelAt =
    first === '' ? (length > 1 ? 1 - randomBelow(random, 2) : 1) : /[aeiouy]/.test(first) ? 0 : 1;
  let drawn = first;
  while (drawn.length < length - last.length) {
    drawn += pick(random, drawn.length % 2 === vowelAt ? vowels : commonConsonants, 1);
  }
  // Two vowels in a row are rare in names.
  const isCluster = drawn.length > first.length && /[aeiouy]{2}$/.test(`${drawn}${last}`);
  return `${isCluster ? drawn.slice(0, -1) + pick(random, commonConsonants, 1) : drawn}${last}`;
}

/** Long, without vowels, and with digits half of the time. */
function randomName(random: Random): string {
  const letters = pick(random, consonants, 12 + randomBelow(random, 5));
  return randomBelow(random, 2) === 0 ? letters : `${letters}${pick(random, digits, 3)}`;
}

function pick(random: Random, alphabet: string, count: number): string {
  let picked = '';
  for (let left = count; left > 0; left -= 1) {
    picked += alphabet.charAt(randomBelow(random, alphabet.length));
  }
  return picked;
}

/** Returns a number from 0 (inclusive) to 1 (exclusive), like `Math.random`. */
export type Random = () => number;

/** A whole number from 0 (inclusive) to `bound` (exclusive). */
export function randomBelow(random: Random, bound: number): number {
  return Math.min(bound - 1, Math.floor(random() * bound));
}

/** Fisher-Yates, on a copy. */
export function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  const rest = [...items];
  const result: Item[] = [];
  while (rest.length > 0) {
    result.push(...rest.splice(randomBelow(random, rest.length), 1));
  }
  return result;
}

/** After this time the numbers change, so that anything a host learned about them is worthless. */
const periodMs = 7 * 24 * 3_600_000;

/**
 * Random numbers that cannot be predicted without the key and stay the same for a subject for up to a week. Made-up
 * recipients need both: a greylist opens only for a recipient that it has seen before (RFC 6647 section 2.1), so a
 * later probe must use the same ones. SHAKE256 with its key prepended is a pseudorandom function: unlike SHA-256, a
 * sponge needs no HMAC (FIPS 202).
 */
export function keyedRandom(key: Uint8Array, subject: string, nowMs: number): Random {
  const period = Math.floor(nowMs / periodMs);
  let block = Buffer.alloc(0);
  let blocks = 0;
  let offset = 0;
  return () => {
    if (offset === block.length) {
      // One long output for many numbers: a name takes dozens.
      block = createHash('shake256', { outputLength: numbersPerBlock * numberOctets })
        .update(`${key.length}\n`)
        .update(key)
        .update(`${period}\n${blocks}\n${subject}`)
        .digest();
      blocks += 1;
      offset = 0;
    }
    offset += numberOctets;
    return block.readUIntBE(offset - numberOctets, numberOctets) / 2 ** (8 * numberOctets);
  };
}

/** 48 bits, the most that make an exact fraction with `readUIntBE`. */
const numberOctets = 6;
const numbersPerBlock = 64;
