import { type Random, randomBelow } from '../random.ts';

/**
 * A recipient that most likely does not exist, made to find out whether a host accepts everybody. One that is `random` is long
 * and looks like nothing; one that is `alike` has the form of the address that is asked about.
 */
export interface MadeUpRecipient {
  readonly shape: 'alike' | 'random';
  readonly localPart: string;
}

// Letters that are not mistaken for digits in a log, and of which few names are made.
const consonants = 'bdfgjkmnprstvz';
const vowels = 'aeiu';
const digits = '23456789';

/** Draws in the form of the address: a host that accepts all of them accepts whatever has that form. */
export const alikeDraws = 4;

/** Where millions choose their names, nearly every pronounceable name that is shorter exists. */
const crowdedLengthMin = 9;

/** How many characters an address may have more than a made-up one that speaks for it. */
const lengthSlack = 3;

/**
 * Makes the recipients with which an address is compared: draws in its form, and one long random name. Hosts that refuse
 * by form, such as names over ten letters or without vowels, accept or refuse the draws as they do the address.
 *
 * @param randomOf gives the same numbers each time for the same form, since a greylist opens only for recipients that it
 *   has seen before
 * @param isCrowded whether anybody may choose a mailbox at the domain
 */
export function makeUpRecipients(
  randomOf: (form: string) => Random,
  localPart: string,
  isCrowded = false,
): readonly MadeUpRecipient[] {
  const runs = runsOf(localPart, isCrowded);
  const random = randomOf(
    runs.map(({ kind, text }) => (kind === 'mark' ? text : kind + text.length)).join(''),
  );
  const taken = new Set([localPart.toLowerCase()]);
  const alike = Array.from({ length: alikeDraws }, (): MadeUpRecipient => {
    let drawn = draw(random, runs);
    // A form of one letter has few names; a number is added before all are used up.
    for (let tries = 0; taken.has(drawn); tries += 1) {
      drawn = `${draw(random, runs)}${tries < 20 ? '' : tries}`;
    }
    taken.add(drawn);
    return { shape: 'alike', localPart: drawn };
  });
  return [...alike, { shape: 'random', localPart: randomName(randomOf('')) }];
}

/** Whether what a host says to one made-up recipient speaks for addresses of the form of another one. */
export function speaksFor(
  { localPart: one }: MadeUpRecipient,
  { localPart: other }: MadeUpRecipient,
): boolean {
  // Never a longer one for a shorter one: the host may refuse whatever is long.
  const isNear = other.length <= one.length + lengthSlack || one.length > lengthOfLong;
  return one.length <= other.length && isNear && outlineOf(one) === outlineOf(other);
}

/** Beyond this length, in characters, a few more make no difference. */
const lengthOfLong = 12;

/** Which marks a local part has, and whether it has digits. */
function outlineOf(localPart: string): string {
  return localPart.replace(/[a-z]+/gi, '').replace(/\d+/g, '9');
}

interface Run {
  readonly kind: 'letters' | 'digits' | 'mark';
  readonly text: string;
}

/** The runs of letters, of digits and the marks between them; what needs quotes is left out. */
function runsOf(localPart: string, isCrowded: boolean): readonly Run[] {
  const all = (localPart.match(/[\p{L}\p{M}]+|\p{N}+|[._+-]/gu) ?? []).map((text): Run => {
    const kind = /^\p{N}/u.test(text) ? 'digits' : /^[._+-]/.test(text) ? 'mark' : 'letters';
    return { kind, text };
  });
  // A dot stands between two others (RFC 5321 section 4.1.2).
  const undotted = all.filter(({ text }, index) => text !== '.' || (all[index - 1]?.text ?? '.') !== '.');
  const runs = undotted.at(-1)?.text === '.' ? undotted.slice(0, -1) : undotted;
  const length = runs.reduce((sum, { text }) => sum + text.length, 0);
  const missing = isCrowded || length === 0 ? crowdedLengthMin - length : 0;
  const longest = runs.findLast(({ kind }) => kind === 'letters');
  if (missing <= 0) {
    return runs;
  }
  return longest === undefined
    ? [...runs, { kind: 'letters', text: 'a'.repeat(missing) }]
    : runs.map(run =>
        run === longest ? { ...run, text: run.text.padEnd(run.text.length + missing, 'a') } : run,
      );
}

function draw(random: Random, runs: readonly Run[]): string {
  return runs.map(run => drawRun(random, run)).join('');
}

function drawRun(random: Random, { kind, text }: Run): string {
  switch (kind) {
    case 'mark':
      return text;
    case 'digits':
      return pick(random, digits, text.length);
    case 'letters':
      return pronounceable(random, text.length);
  }
}

/** Consonants and vowels in turn. */
function pronounceable(random: Random, length: number): string {
  const first = length > 1 ? randomBelow(random, 2) : 0;
  return Array.from({ length }, (_, index) =>
    pick(random, (index + first) % 2 === 0 ? consonants : vowels, 1),
  ).join('');
}

/** Long, without vowels, and with digits in every second case. */
function randomName(random: Random): string {
  const letters = pick(random, consonants, 12 + randomBelow(random, 5));
  return randomBelow(random, 2) === 0 ? letters : `${letters}${pick(random, digits, 3)}`;
}

function pick(random: Random, alphabet: string, count: number): string {
  return Array.from({ length: count }, () => alphabet.charAt(randomBelow(random, alphabet.length))).join('');
}
