import { z } from 'zod';
import { limits } from '../limits.ts';
import { loadTr46 } from '../load-package.ts';
import { type AddressLiteral, parseAddressLiteral } from './address-literal.ts';
import { type Fault, fault, type Parsed } from './fault.ts';
import {
  characterName,
  findStrayJoiner,
  findUnseen,
  trimUnseen,
  unseenSentence,
} from './unseen-characters.ts';

/** A parsed email address. */
export interface EmailAddress {
  /** The trimmed input, as the client wrote it: not normalized. */
  readonly input: string;
  readonly localPart: LocalPart;
  readonly domain: DomainName | AddressLiteral;
  /**
   * The canonical spelling, used to compare addresses: local part in NFC (RFC 6532 section 3.1) without unnecessary
   * quotes, domain in lower-case A-labels. The local part keeps its case, because only the receiving host knows whether
   * it matters (RFC 5321 section 2.4).
   */
  readonly normalized: string;
}

const encoder = new TextEncoder();

/**
 * Parses an address by the `Mailbox` rule of RFC 5321 section 4.1.2, extended by RFC 6531 section 3.3 to
 * internationalized local parts and domains. White space and invisible characters are trimmed from both ends and
 * refused elsewhere (ADR 0056). Comments and folding white space, which RFC 5322 allows in message headers only, are
 * refused.
 */
export function parseEmailAddress(text: string): Parsed<EmailAddress> {
  if (!text.isWellFormed()) {
    return fault(
      'not_unicode',
      'The address contains an unpaired surrogate, which is not a valid character.',
    );
  }
  const input = trimUnseen(text);
  if (input === '') {
    return fault('empty', 'The address is empty.');
  }
  // Check a cheap bound first. The octet count is never smaller than the number of characters in NFC.
  if (input.length > 4 * limits.emailAddressOctetsMax) {
    return tooLong(input.length);
  }
  const written = input.normalize('NFC');
  if (written.length > limits.emailAddressOctetsMax) {
    const characters = Array.from(written).length;
    if (characters > limits.emailAddressOctetsMax) {
      return tooLong(characters);
    }
  }
  // A decoder writes U+FFFD in place of octets that it cannot decode, so the original character is lost.
  if (written.includes('\ufffd')) {
    return fault(
      'not_unicode',
      'The address contains U+FFFD REPLACEMENT CHARACTER: the text was damaged before it was sent.',
    );
  }
  const at = endOfLocalPart(written);
  if (at === -1) {
    return fault('at_sign_missing', 'The address has no @ between the local part and the domain.');
  }
  const localPart = parseLocalPart(written.slice(0, at));
  if (!localPart.ok) {
    return localPart;
  }
  const domain = parseDomain(written.slice(at + 1));
  if (!domain.ok) {
    return domain;
  }
  const normalized = `${localPart.value.wireForm}@${domain.value.ascii}`;
  const octets = encoder.encode(normalized).length;
  if (octets > limits.emailAddressOctetsMax) {
    return tooLong(octets);
  }
  return { ok: true, value: { input, localPart: localPart.value, domain: domain.value, normalized } };
}

function parseDomain(text: string): Parsed<DomainName | AddressLiteral> {
  return text.startsWith('[') ? parseAddressLiteral(text) : parseDomainName(text);
}

/** Finds the @ that ends the local part: the first @ outside quotes. */
function endOfLocalPart(written: string): number {
  if (!written.startsWith('"')) {
    return written.indexOf('@');
  }
  for (let index = 1; index < written.length; index += 1) {
    if (written[index] === '\\') {
      index += 1;
    } else if (written[index] === '"') {
      return written[index + 1] === '@' ? index + 1 : written.indexOf('@', index);
    }
  }
  return written.indexOf('@');
}

function tooLong(octets: number): { ok: false; fault: Fault } {
  return fault(
    'address_too_long',
    `The address is at least ${octets} octets long; RFC 5321 section 4.5.3.1.3 allows ${limits.emailAddressOctetsMax}.`,
  );
}

/** The part before the @. */
export interface LocalPart {
  /** The value without quotes and escapes. */
  readonly text: string;
  /** The form used in SMTP: quoted only if necessary (RFC 5321 section 4.1.2). */
  readonly wireForm: string;
  /** True if it contains non-ASCII characters and therefore needs SMTPUTF8 (RFC 6531). */
  readonly international: boolean;
}

/** `atext` of RFC 5322 section 3.2.3, extended to non-ASCII by RFC 6531 section 3.3. */
const atom = /^[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~\u{a0}-\u{10ffff}]+$/u;
/** `qtextSMTP` of RFC 5321 section 4.1.2, extended likewise. */
const quotableCharacter = /^[\x20-\x7e\u{a0}-\u{10ffff}]$/u;
const ascii = /^[\x20-\x7e]*$/;

/** Parses the `Local-part` rule: a dot string or a quoted string, in NFC. */
function parseLocalPart(written: string): Parsed<LocalPart> {
  const invisible = findUnseen(written) ?? findStrayJoiner(written);
  if (invisible !== undefined) {
    return fault('invisible_character', `The part before the @ contains ${invisible}. ${unseenSentence}`);
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
      'Comments in parentheses are allowed in message headers, not in an address (RFC 5321).',
    );
  }
  if (written.startsWith('.') || written.endsWith('.') || written.includes('..')) {
    return fault(
      'local_part_dots',
      'The part before the @ must not begin or end with a dot, or contain two dots in a row.',
    );
  }
  const bad = Array.from(written).find(character => character !== '.' && !atom.test(character));
  if (bad !== undefined) {
    return fault(
      'local_part_character',
      `The part before the @ must not contain ${describe(bad)} outside quotes.`,
    );
  }
  return { ok: true, value: written };
}

function parseQuotedString(written: string): Parsed<string> {
  const unbalanced = fault('quotes_unbalanced', 'A quoted part before the @ must begin and end with one ".');
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
    // A quoted pair covers printable ASCII only (RFC 5321 section 4.1.2, quoted-pairSMTP).
    if (!quotableCharacter.test(character) || (escaped && !ascii.test(character))) {
      return fault(
        'local_part_character',
        `The quoted part before the @ must not contain ${describe(character)}.`,
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

/** A domain name. */
export interface DomainName {
  readonly kind: 'name';
  /** Lower-case A-labels without the trailing dot: the form used in DNS and SMTP. */
  readonly ascii: string;
  /** U-labels, the form to show to people. */
  readonly unicode: string;
}

/** UTS 46 processing options that produce IDNA 2008 names: non-transitional, with the bidi and joiner rules. */
const uts46 = {
  checkBidi: true,
  checkHyphens: false,
  checkJoiners: true,
  transitionalProcessing: false,
  useSTD3ASCIIRules: true,
} as const;

/**
 * ASCII letters, digits and hyphens without an A-label. UTS 46 processing would only convert the name to lower case, at
 * a hundred times the cost, and nearly every name in a long list is one.
 */
const plainName = /^(?!xn--)[a-z0-9-]+(?:\.(?!xn--)[a-z0-9-]+)*$/i;

/**
 * Parses the `Domain` rule of RFC 5321 section 4.1.2, with U-labels allowed (RFC 6531 section 3.3). A single label is a
 * domain too; DNS decides whether it resolves.
 */
export function parseDomainName(written: string): Parsed<DomainName> {
  if (written === '') {
    return fault('domain_empty', 'There is nothing after the @.');
  }
  if (/[()]/.test(written)) {
    return fault(
      'comment',
      'Comments in parentheses are allowed in message headers, not in an address (RFC 5321).',
    );
  }
  if (written.includes('@')) {
    return fault('domain_character', 'An address has exactly one @; an @ in the local part must be quoted.');
  }
  if (/[ \p{Cc}]/u.test(written)) {
    return fault('domain_character', 'The domain must not contain white space or control characters.');
  }
  const isPlain = plainName.test(written);
  // UTS 46 maps some of these to nothing, which would allow two spellings of one string.
  const invisible = isPlain ? undefined : (findUnseen(written) ?? findStrayJoiner(written));
  if (invisible !== undefined) {
    return fault('invisible_character', `The domain contains ${invisible}. ${unseenSentence}`);
  }
  const ascii = isPlain ? written.toLowerCase() : loadTr46().toASCII(written, uts46);
  if (ascii === null || ascii === '') {
    return fault(
      'domain_character',
      'The domain contains a character that domain names do not allow (UTS 46).',
    );
  }
  const labels = ascii.split('.');
  if (labels.includes('')) {
    return fault(
      'domain_label',
      'The domain must not begin or end with a dot, or contain two dots in a row.',
    );
  }
  const long = labels.find(label => label.length > limits.labelOctetsMax);
  if (long !== undefined) {
    return fault(
      'domain_label',
      `A domain label is ${long.length} octets long; the limit is ${limits.labelOctetsMax}.`,
    );
  }
  if (labels.some(label => label.startsWith('-') || label.endsWith('-'))) {
    return fault('domain_label', 'A domain label must not begin or end with a hyphen.');
  }
  if (ascii.length > limits.domainOctetsMax) {
    return fault(
      'domain_too_long',
      `The domain is ${ascii.length} octets long; the limit is ${limits.domainOctetsMax}.`,
    );
  }
  const unicode = isPlain ? ascii : loadTr46().toUnicode(ascii, uts46).domain;
  return { ok: true, value: { kind: 'name', ascii, unicode } };
}

/** Marks a Zod issue as an invalid address, so that the HTTP layer responds with the specific problem code. */
export const emailAddressIssue = 'email_address';

/**
 * An address in a request: any string on input, an `EmailAddress` after parsing. Requests use no other schema for
 * addresses.
 */
export const emailAddress = z
  .string()
  .transform((text, context): EmailAddress => {
    const parsed = parseEmailAddress(text);
    if (parsed.ok) {
      return parsed.value;
    }
    context.addIssue({
      code: 'custom',
      message: parsed.fault.message,
      params: { kind: emailAddressIssue, fault: parsed.fault.code },
    });
    return z.NEVER;
  })
  .meta({
    format: 'email',
    description:
      'An email address as defined in RFC 5321 and RFC 6531. Invisible characters are trimmed at both ends and rejected elsewhere; addresses are compared in NFC.',
    example: 'ada@ordinary.example',
  });
