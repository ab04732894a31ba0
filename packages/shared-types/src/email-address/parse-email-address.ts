import { limits } from '../limits.ts';
import { type AddressLiteral, parseAddressLiteral } from './address-literal.ts';
import { type DomainName, parseDomainName } from './domain-name.ts';
import { type Fault, fault, type Parsed } from './fault.ts';
import { type LocalPart, parseLocalPart } from './local-part.ts';

/** An email address, taken apart. */
export interface EmailAddress {
  /** The trimmed input, as the customer wrote it. */
  readonly input: string;
  readonly localPart: LocalPart;
  readonly domain: DomainName | AddressLiteral;
  /**
   * The address in one canonical spelling: local part with no needless quotes, domain in lower-case A-labels. The
   * local part keeps its case, which belongs to the receiving host alone (RFC 5321 section 2.4).
   */
  readonly normalised: string;
}

const encoder = new TextEncoder();

/**
 * Parses an address by the `Mailbox` rule of RFC 5321 section 4.1.2, widened by RFC 6531 section 3.3 to
 * internationalised local parts and domains. White space around the address is trimmed. Comments and folding white
 * space, which RFC 5322 allows in message headers only, are refused.
 */
export function parseEmailAddress(text: string): Parsed<EmailAddress> {
  const input = text.trim();
  if (input === '') {
    return fault('empty', 'The address is empty.');
  }
  // A cheap bound ahead of all other work: no octet count can be below the count of UTF-16 units.
  if (input.length > limits.emailAddressOctetsMax) {
    return tooLong(input.length);
  }
  if (!input.isWellFormed()) {
    return fault('not_unicode', 'The address holds half a surrogate pair, which is not a character.');
  }
  const at = endOfLocalPart(input);
  if (at === -1) {
    return fault('at_sign_missing', 'The address has no @ between the local part and the domain.');
  }
  const localPart = parseLocalPart(input.slice(0, at));
  if (!localPart.ok) {
    return localPart;
  }
  const domain = parseDomain(input.slice(at + 1));
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
function endOfLocalPart(input: string): number {
  if (!input.startsWith('"')) {
    return input.indexOf('@');
  }
  for (let index = 1; index < input.length; index += 1) {
    if (input[index] === '\\') {
      index += 1;
    } else if (input[index] === '"') {
      return input[index + 1] === '@' ? index + 1 : input.indexOf('@', index);
    }
  }
  return input.indexOf('@');
}

function tooLong(octets: number): { ok: false; fault: Fault } {
  return fault(
    'address_too_long',
    `The address is at least ${octets} octets long; RFC 5321 section 4.5.3.1.3 allows ${limits.emailAddressOctetsMax}.`,
  );
}
