import { toASCII, toUnicode } from 'tr46';
import { limits } from '../limits.ts';
import { fault, type Parsed } from './fault.ts';
import { findStrayJoiner, findUnseen, unseenSentence } from './unseen-characters.ts';

/** A domain name. */
export interface DomainName {
  readonly kind: 'name';
  /** Lower-case A-labels, without the root's dot: the form that DNS and SMTP take. */
  readonly ascii: string;
  /** U-labels, the form to show to people. */
  readonly unicode: string;
}

/** Processing options of UTS 46 that give IDNA 2008 names: non-transitional, with the bidi and joiner rules. */
const uts46 = {
  checkBidi: true,
  checkHyphens: false,
  checkJoiners: true,
  transitionalProcessing: false,
  useSTD3ASCIIRules: true,
} as const;

/**
 * Letters, digits and hyphens of ASCII without an A-label: UTS 46 does nothing to them but write them in lower case, for
 * a hundred times the price, and nearly every name of a long list is one.
 */
const plainName = /^(?!xn--)[a-z0-9-]+(?:\.(?!xn--)[a-z0-9-]+)*$/i;

/**
 * Parses the `Domain` rule of RFC 5321 section 4.1.2, with U-labels allowed (RFC 6531 section 3.3). A single label
 * is a domain too: whether anything answers there is for DNS to say.
 */
export function parseDomainName(written: string): Parsed<DomainName> {
  if (written === '') {
    return fault('domain_empty', 'There is nothing after the @.');
  }
  if (/[()]/.test(written)) {
    return fault(
      'comment',
      'Comments in parentheses belong to message headers, not to an address (RFC 5321).',
    );
  }
  if (written.includes('@')) {
    return fault('domain_character', 'An address has one @; one in the local part must stand inside quotes.');
  }
  if (/[ \p{Cc}]/u.test(written)) {
    return fault('domain_character', 'The domain must not hold white space or control characters.');
  }
  const isPlain = plainName.test(written);
  // UTS 46 maps some of these to nothing, which would let two spellings of one string pass.
  const invisible = isPlain ? undefined : (findUnseen(written) ?? findStrayJoiner(written));
  if (invisible !== undefined) {
    return fault('invisible_character', `The domain holds ${invisible}. ${unseenSentence}`);
  }
  const ascii = isPlain ? written.toLowerCase() : toASCII(written, uts46);
  if (ascii === null || ascii === '') {
    return fault('domain_character', 'The domain holds a character that domain names do not allow (UTS 46).');
  }
  const labels = ascii.split('.');
  if (labels.includes('')) {
    return fault('domain_label', 'Each dot of the domain must stand between two labels.');
  }
  const long = labels.find(label => label.length > limits.labelOctetsMax);
  if (long !== undefined) {
    return fault(
      'domain_label',
      `A label of the domain is ${long.length} octets long; ${limits.labelOctetsMax} are allowed.`,
    );
  }
  if (labels.some(label => label.startsWith('-') || label.endsWith('-'))) {
    return fault('domain_label', 'A label of the domain must not begin or end with a hyphen.');
  }
  if (ascii.length > limits.domainOctetsMax) {
    return fault(
      'domain_too_long',
      `The domain is ${ascii.length} octets long; ${limits.domainOctetsMax} are allowed.`,
    );
  }
  const unicode = isPlain ? ascii : toUnicode(ascii, uts46).domain;
  return { ok: true, value: { kind: 'name', ascii, unicode } };
}
