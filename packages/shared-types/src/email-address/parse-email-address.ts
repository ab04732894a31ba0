import { limits } from '../limits.ts';
import { type AddressLiteral, parseAddressLiteral } from './address-literal.ts';
import { type DomainName, parseDomainName } from './domain-name.ts';
import { type Fault, fault, type Parsed } from './fault.ts';
import { type LocalPart, parseLocalPart } from './local-part.ts';
import { trimUnseen } from './unseen-characters.ts';

/** An email address, taken apart. */
export interface EmailAddress {
  /** The trimmed input, as the client wrote it: not normalised. */
  readonly input: string;
  readonly localPart: LocalPart;
  readonly domain: DomainName | AddressLiteral;
  /**
   * The address in one canonical spelling, by which addresses are compared: local part in NFC (RFC 6532 section 3.1)
   * with no needless quotes, domain in lower-case A-labels. The local part keeps its case, which belongs to the receiving
   * host alone (RFC 5321 section 2.4).
   */
  readonly normalised: string;
}

const encoder = new TextEncoder();

/**
 * Parses an address by the `Mailbox` rule of RFC 5321 section 4.1.2, widened by RFC 6531 section 3.3 to
 * internationalised local parts and domains. White space and other characters that cannot be seen are trimmed from both
 * ends and refused inside (ADR 0056). Comments and folding white space, which RFC 5322 allows in message headers only,
 * are refused.
 */
export function parseEmailAddress(text: string): Parsed<EmailAddress> {
  if (!text.isWellFormed()) {
    return fault('not_unicode', 'The address holds half a surrogate pair, which is not a character.');
  }
  const input = trimUnseen(text);
  if (input === '') {
    return fault('empty', 'The address is empty.');
  }
  // Cheap bounds before all other work. No octet count can be below the count of characters in NFC.
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
  // A decoder writes it in place of what it could not read, so the letter that was there is lost.
  if (written.includes('\ufffd')) {
    return fault(
      'not_unicode',
      'The address holds U+FFFD REPLACEMENT CHARACTER: the text was damaged before it came here.',
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
  const normalised = `${localPart.value.wireForm}@${domain.value.ascii}`;
  const octets = encoder.encode(normalised).length;
  if (octets > limits.emailAddressOctetsMax) {
    return tooLong(octets);
  }
  return { ok: true, value: { input, localPart: localPart.value, domain: domain.value, normalised } };
}

function parseDomain(text: string): Parsed<DomainName | AddressLiteral> {
  return text.startsWith('[') ? parseAddressLiteral(text) : parseDomainName(text);
}

/** Finds the @ that ends the local part: the first one outside of quotes. */
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
