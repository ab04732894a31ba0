import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { limits } from '../limits.ts';
import { parseDomainName, parseEmailAddress } from './parse-email-address.ts';

const runs = { numRuns: 10_000 };
const encoder = new TextEncoder();

function octetsOf(text: string): number {
  return encoder.encode(text).length;
}

const seenAtEnds = /^[^\s\p{Z}\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{DI}]/u;
/** Excludes joiners, which are allowed where RFC 5892 permits them. */
const unseenInside = /(?![ \u200c\u200d])[\s\p{Z}\p{C}\p{DI}\ufffd]/u;

/** Checks what holds for every string, whether or not it is an address. */
function checkReading(text: string): void {
  const result = parseEmailAddress(text);
  if (!result.ok) {
    expect(result.fault.code).not.toBe('');
    expect(result.fault.message.length).toBeLessThan(300);
    expect(result.fault.message).not.toMatch(/[\p{C}\p{DI}]/u);
    return;
  }
  const { input, normalized, localPart, domain } = result.value;
  expect(text).toContain(input);
  expect(input).toMatch(seenAtEnds);
  expect([...input].reverse().join('')).toMatch(seenAtEnds);
  expect(input).not.toMatch(unseenInside);
  // Trimming and normalization are idempotent.
  expect(parseEmailAddress(input)).toEqual(result);
  expect(parseEmailAddress(`\u200b ${input}\u2069\n`)).toEqual(result);
  expect(normalized).toBe(normalized.normalize('NFC'));
  for (const form of ['NFC', 'NFD'] as const) {
    expect(parseEmailAddress(input.normalize(form))).toMatchObject({ ok: true, value: { normalized } });
  }
  expect(octetsOf(normalized)).toBeLessThanOrEqual(limits.emailAddressOctetsMax);
  expect(octetsOf(localPart.wireForm)).toBeLessThanOrEqual(limits.localPartOctetsMax);
  expect(domain.ascii.length).toBeLessThanOrEqual(limits.domainOctetsMax);
  expect(domain.ascii).toMatch(/^[\x21-\x7e]+$/);
  expect(domain.kind === 'name' ? domain.ascii : '').toBe(
    domain.kind === 'name' ? domain.ascii.toLowerCase() : '',
  );
  expect(normalized).not.toMatch(unseenInside);
  // The SMTP form parses to the same address, so that no address has two spellings.
  const again = parseEmailAddress(normalized);
  expect(again).toMatchObject({
    ok: true,
    value: { normalized, localPart, domain: { ascii: domain.ascii } },
  });
}

const atom = fc.stringMatching(/^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,12}$/);
const dotString = fc.array(atom, { minLength: 1, maxLength: 4 }).map(atoms => atoms.join('.'));
/** The content of a quoted string, in printable ASCII. */
const quotedText = fc.stringMatching(/^[\x20-\x7e]{0,20}$/);
const label = fc.stringMatching(/^[a-z](?:[a-z0-9]{0,10}[a-z0-9])?$/);
const domainName = fc.array(label, { minLength: 1, maxLength: 5 }).map(labels => labels.join('.'));
const literal = fc.oneof(
  fc.ipV4().map(address => `[${address}]`),
  fc.ipV6().map(address => `[IPv6:${address}]`),
);
const internationalWord = fc.constantFrom('jörg', '用户', 'пример', 'ñandú', 'संपर्क');

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}

const written = fc
  .oneof(
    fc.tuple(dotString, domainName),
    fc.tuple(quotedText.map(quoted), domainName),
    fc.tuple(dotString, literal),
    fc.tuple(internationalWord, fc.constantFrom('bücher.example', 'xn--bcher-kva.example', '例え.jp')),
  )
  .map(([localPart, domain]) => `${localPart}@${domain}`);

test('domains of plain ASCII are read as UTS 46 reads them', () => {
  const plain = fc
    .stringMatching(/^[A-Za-z0-9-]{1,20}(\.[A-Za-z0-9-]{1,12}){0,3}$/)
    .filter(name => !/(?:^|\.)xn--/i.test(name));
  fc.assert(
    fc.property(plain, name => {
      const parsed = parseDomainName(name);
      // With a leading non-ASCII letter, the whole name goes through UTS 46.
      const whole = parseDomainName(`é.${name}`);
      expect(parsed.ok).toBe(whole.ok);
      if (parsed.ok && whole.ok) {
        expect(`xn--9ca.${parsed.value.ascii}`).toBe(whole.value.ascii);
        expect(`é.${parsed.value.unicode}`).toBe(whole.value.unicode);
      }
    }),
    runs,
  );
});

interface Mutation {
  readonly at: number;
  readonly how: 'insert' | 'replace' | 'remove' | 'double' | 'reverse';
  readonly text: string;
}

const oddPiece = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }),
  fc.constantFrom(
    '@',
    '"',
    '\\',
    '.',
    '..',
    '[',
    ']',
    '(',
    ')',
    '<',
    '>',
    ' ',
    '\t',
    '\r\n',
    '\u0000',
    '\u00ad',
    '\u200b',
    '\u200c',
    '\u200d',
    '\u202e',
    '\u2066',
    '\u3164',
    '\ue000',
    '\ufffd',
    '\u{e0041}',
    '\u0308',
    '\u0338',
    '\u037e',
    '\u0378',
    'क्',
    'xn--',
    '-',
    'é',
    '\ud83d',
    '\ufeff',
    'IPv6:',
    '::',
    '%',
    'a'.repeat(64),
    'ß',
    '。',
  ),
);

const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.nat(80),
  how: fc.constantFrom('insert', 'insert', 'replace', 'remove', 'double', 'reverse'),
  text: oddPiece,
});

function mutate(address: string, { at, how, text }: Mutation): string {
  const start = Math.min(at, address.length);
  const [head, tail] = [address.slice(0, start), address.slice(start)];
  switch (how) {
    case 'insert':
      return head + text + tail;
    case 'replace':
      return head + text + tail.slice(text.length);
    case 'remove':
      return head + tail.slice(1);
    case 'double':
      return head + tail + tail;
    case 'reverse':
      return head + Array.from(tail).reverse().join('');
  }
}

describe('an address', () => {
  test('that the grammar writes is read for what it means', () => {
    fc.assert(
      fc.property(fc.oneof(dotString, quotedText), domainName, (text, domain) => {
        const isPlain = /^[^\s"(),.:;<>@[\\\]]+(?:\.[^\s"(),.:;<>@[\\\]]+)*$/.test(text);
        const wireForm = isPlain ? text : quoted(text);
        const result = parseEmailAddress(`${quoted(text)}@${domain.toUpperCase()}`);
        const fits =
          octetsOf(wireForm) <= limits.localPartOctetsMax &&
          octetsOf(`${wireForm}@${domain}`) <= limits.emailAddressOctetsMax;
        expect(result.ok).toBe(fits);
        expect(result).toMatchObject(
          fits ? { value: { normalized: `${wireForm}@${domain}` } } : { ok: false },
        );
      }),
      runs,
    );
  });

  test('that was tampered with is parsed or refused, within its bounds', () => {
    fc.assert(
      fc.property(written, fc.array(mutation, { minLength: 1, maxLength: 4 }), (address, mutations) => {
        checkReading(mutations.reduce(mutate, address));
      }),
      runs,
    );
  });
});

describe('any string', () => {
  test('is parsed or refused, within its bounds', () => {
    fc.assert(
      fc.property(fc.array(oddPiece, { maxLength: 40 }), pieces => {
        checkReading(pieces.join(''));
      }),
      runs,
    );
  });

  test.each(['"', '\\', '@', '.', 'xn--', '"\\', '[', 'é', '\u0300', 'a@'])(
    'of a million times %j is refused',
    piece => {
      expect(parseEmailAddress(piece.repeat(1_000_000)).ok).toBe(false);
    },
  );
});
