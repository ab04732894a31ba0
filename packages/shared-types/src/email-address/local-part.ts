import { limits } from '../limits.ts';
import { fault, type Parsed } from './fault.ts';
import { characterName, findStrayJoiner, findUnseen, unseenSentence } from './unseen-characters.ts';

/** The part before the @. */
export interface LocalPart {
  /** What it means: quotes and escapes taken away. */
  readonly text: string;
  /** How it is written in SMTP: quoted only where it must be (RFC 5321 section 4.1.2). */
  readonly wireForm: string;
  /** True when it holds characters outside ASCII and so needs SMTPUTF8 (RFC 6531). */
  readonly international: boolean;
}

/** `atext` of RFC 5322 section 3.2.3, widened to non-ASCII by RFC 6531 section 3.3. */
const atom = /^[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~\u{a0}-\u{10ffff}]+$/u;
/** `qtextSMTP` of RFC 5321 section 4.1.2, widened likewise. */
const quotableCharacter = /^[\x20-\x7e\u{a0}-\u{10ffff}]$/u;
const ascii = /^[\x20-\x7e]*$/;

const encoder = new TextEncoder();

/** Parses the `Local-part` rule: a dot string or a quoted string, in NFC. */
export function parseLocalPart(written: string): Parsed<LocalPart> {
  const invisible = findUnseen(written) ?? findStrayJoiner(written);
  if (invisible !== undefined) {
    return fault('invisible_character', `The part before the @ holds ${invisible}. ${unseenSentence}`);
  }
  const text = written.startsWith('"') ? parseQuotedString(written) : parseDotString(written);
  if (!text.ok) {
    return text;
  }
  const wireForm = isDotString(text.value) ? text.value : quote(text.value);
  const octets = encoder.encode(wireForm).length;
  if (octets > limits.localPartOctetsMax) {
    return fault(
      'local_part_too_long',
      `The part before the @ is ${octets} octets long; RFC 5321 section 4.5.3.1.1 allows ${limits.localPartOctetsMax}.`,
    );
  }
  return { ok: true, value: { text: text.value, wireForm, international: !ascii.test(text.value) } };
}

function parseDotString(written: string): Parsed<string> {
  if (written === '') {
    return fault('local_part_empty', 'There is nothing before the @.');
  }
  if (/[()]/.test(written)) {
    return fault(
      'comment',
      'Comments in parentheses belong to message headers, not to an address (RFC 5321).',
    );
  }
  if (written.startsWith('.') || written.endsWith('.') || written.includes('..')) {
    return fault('local_part_dots', 'A dot before the @ must stand between two other characters.');
  }
  const bad = Array.from(written).find(character => character !== '.' && !atom.test(character));
  if (bad !== undefined) {
    return fault(
      'local_part_character',
      `The part before the @ must not hold ${describe(bad)} outside of quotes.`,
    );
  }
  return { ok: true, value: written };
}

function parseQuotedString(written: string): Parsed<string> {
  const unbalanced = fault(
    'quotes_unbalanced',
    'The quoted part before the @ must begin and end with one ".',
  );
  if (written.length < 2 || !written.endsWith('"')) {
    return unbalanced;
  }
  const characters = Array.from(written.slice(1, -1));
  let text = '';
  for (let index = 0; index < characters.length; index += 1) {
    const escaped = characters[index] === '\\';
    const character = escaped ? characters[++index] : characters[index];
    if (character === undefined || (!escaped && character === '"')) {
      return unbalanced;
    }
    // A quoted pair covers printable ASCII alone (RFC 5321 section 4.1.2, quoted-pairSMTP).
    if (!quotableCharacter.test(character) || (escaped && !ascii.test(character))) {
      return fault(
        'local_part_character',
        `The quoted part before the @ must not hold ${describe(character)}.`,
      );
    }
    text += character;
  }
  return { ok: true, value: text };
}

function isDotString(text: string): boolean {
  return text.split('.').every(part => atom.test(part));
}

function quote(text: string): string {
  return `"${text.replace(/["\\]/g, character => `\\${character}`)}"`;
}

function describe(character: string): string {
  return character === ' '
    ? 'a space'
    : /^[\x21-\x7e]$/.test(character)
      ? `“${character}”`
      : `the character ${characterName(character)}`;
}
