import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { FaultCode } from './fault.ts';
import { type EmailAddress, parseEmailAddress } from './parse-email-address.ts';

function parsed(text: string): EmailAddress {
  const result = parseEmailAddress(text);
  if (!result.ok) {
    throw new Error(`${text} was refused: ${result.fault.message}`);
  }
  return result.value;
}

function faultOf(text: string): FaultCode | undefined {
  const result = parseEmailAddress(text);
  return result.ok ? undefined : result.fault.code;
}

describe('an accepted address', () => {
  it.each([
    ['alice@ordinary.example', 'alice@ordinary.example'],
    ['  alice@ordinary.example\n', 'alice@ordinary.example'],
    ['Alice.Smith+tag@Ordinary.Example', 'Alice.Smith+tag@ordinary.example'],
    ["!#$%&'*+-/=?^_`{|}~@ordinary.example", "!#$%&'*+-/=?^_`{|}~@ordinary.example"],
    ['a@b', 'a@b'],
    ['1@2.example', '1@2.example'],
    ['under_score@my-host.example', 'under_score@my-host.example'],
    ['"alice"@ordinary.example', 'alice@ordinary.example'],
    ['"alice smith"@ordinary.example', '"alice smith"@ordinary.example'],
    ['"a@b"@ordinary.example', '"a@b"@ordinary.example'],
    ['"a\\"b"@ordinary.example', '"a\\"b"@ordinary.example'],
    ['"a\\\\b"@ordinary.example', '"a\\\\b"@ordinary.example'],
    ['"\\a"@ordinary.example', 'a@ordinary.example'],
    ['"..dots.."@ordinary.example', '"..dots.."@ordinary.example'],
    ['""@ordinary.example', '""@ordinary.example'],
    ['alice@[192.0.2.1]', 'alice@[192.0.2.1]'],
    ['alice@[IPv6:2001:DB8::1]', 'alice@[IPv6:2001:db8::1]'],
    ['alice@bücher.example', 'alice@xn--bcher-kva.example'],
    ['alice@XN--BCHER-KVA.example', 'alice@xn--bcher-kva.example'],
    ['alice@faß.example', 'alice@xn--fa-hia.example'],
    ['alice@例え.テスト', 'alice@xn--r8jz45g.xn--zckzah'],
    ['jörg@ordinary.example', 'jörg@ordinary.example'],
    ['用户@例え.テスト', '用户@xn--r8jz45g.xn--zckzah'],
    ['\u200bada@ordinary.example', 'ada@ordinary.example'],
    ['\ufeff\u00a0ada@ordinary.example\u00ad\u2060', 'ada@ordinary.example'],
    ['\u2068ada@ordinary.example\u2069', 'ada@ordinary.example'],
    ['\u202aada@ordinary.example\u202c', 'ada@ordinary.example'],
    ['\u{f0000}\u{e0041}ada@ordinary.example\ue000\u0378', 'ada@ordinary.example'],
    ['jo\u0308rg@ordinary.example', 'jörg@ordinary.example'],
    ['alice@bu\u0308cher.example', 'alice@xn--bcher-kva.example'],
    ['\u1112\u1161\u11ab@ordinary.example', '한@ordinary.example'],
    // A joiner after a virama (RFC 5892 appendix A.1 and A.2), and one between letters that join on both sides.
    ['क्\u200dष@ordinary.example', 'क्\u200dष@ordinary.example'],
    ['क्\u200cष@ordinary.example', 'क्\u200cष@ordinary.example'],
    ['نامه\u200cای@ordinary.example', 'نامه\u200cای@ordinary.example'],
    ['-्\u200dष@ordinary.example', '-्\u200dष@ordinary.example'],
    ['alice@क्\u200dष.example', 'alice@xn--11b2ezcw70k.example'],
  ])('%j is %j', (written, normalized) => {
    expect(parsed(written).normalized).toBe(normalized);
  });

  it('keeps what the customer wrote, trimmed', () => {
    expect(parsed(' Alice@Bücher.example ').input).toBe('Alice@Bücher.example');
  });

  it('is echoed as it was written, and compared in NFC', () => {
    const [decomposed, composed] = [parsed(' jo\u0308rg@a.example\u200b'), parsed('j\u00f6rg@a.example')];
    expect(decomposed.input).toBe('jo\u0308rg@a.example');
    expect(decomposed.normalized).toBe(composed.normalized);
    expect(decomposed.localPart).toEqual(composed.localPart);
  });

  it('is as long as its NFC, however it is written', () => {
    expect(faultOf(`${'u\u0308\u0304'.repeat(32)}@${'u\u0308\u0304'.repeat(50)}.example`)).toBeUndefined();
    expect(faultOf(`${'u\u0308\u0304'.repeat(33)}@a.example`)).toBe('local_part_too_long');
  });

  it('distinguishes the meaning of a quoted local part from its spelling', () => {
    expect(parsed('"a\\"b c"@ordinary.example').localPart).toEqual({
      text: 'a"b c',
      wireForm: '"a\\"b c"',
      international: false,
    });
  });

  it('knows that a local part outside ASCII needs international mail', () => {
    expect(parsed('jörg@ordinary.example').localPart.international).toBe(true);
  });

  it('gives the domain in the form for DNS and in the form for people', () => {
    expect(parsed('alice@xn--bcher-kva.example').domain).toEqual({
      kind: 'name',
      ascii: 'xn--bcher-kva.example',
      unicode: 'bücher.example',
    });
  });

  it('may be as long as the standards allow, to the octet', () => {
    const label = 'a'.repeat(63);
    expect(faultOf(`${'l'.repeat(64)}@${label}.example`)).toBeUndefined();
    const domain = `${label}.${label}.${'b'.repeat(61)}`;
    expect(`${'l'.repeat(64)}@${domain}`).toHaveLength(254);
    expect(faultOf(`${'l'.repeat(64)}@${domain}`)).toBeUndefined();
    expect(faultOf(`${'l'.repeat(64)}@${domain}b`)).toBe('address_too_long');
  });
});

describe('a refused address', () => {
  it.each<[FaultCode, string]>([
    ['empty', ''],
    ['empty', ' \t '],
    ['at_sign_missing', 'alice'],
    ['at_sign_missing', 'ordinary.example'],
    ['local_part_empty', '@ordinary.example'],
    ['domain_empty', 'alice@'],
    ['local_part_dots', '.alice@ordinary.example'],
    ['local_part_dots', 'alice.@ordinary.example'],
    ['local_part_dots', 'a..b@ordinary.example'],
    ['local_part_character', 'alice smith@ordinary.example'],
    ['local_part_character', 'alice\u0000@ordinary.example'],
    ['local_part_character', 'a,b@ordinary.example'],
    ['local_part_character', '<alice@ordinary.example'],
    ['local_part_character', 'a\u0085b@ordinary.example'],
    ['local_part_character', '"a\u0000b"@ordinary.example'],
    ['local_part_character', '"a\r\nb"@ordinary.example'],
    ['local_part_character', '"a\\\u00e9"@ordinary.example'],
    ['local_part_too_long', `${'a'.repeat(65)}@ordinary.example`],
    ['local_part_too_long', `${'é'.repeat(33)}@ordinary.example`],
    ['quotes_unbalanced', '"alice@ordinary.example'],
    ['quotes_unbalanced', '"a"b"@ordinary.example'],
    ['quotes_unbalanced', '"a\\"@ordinary.example'],
    ['comment', 'alice(work)@ordinary.example'],
    ['comment', 'alice@ordinary.example(work)'],
    ['domain_character', 'a@b@ordinary.example'],
    ['domain_character', 'alice@ordinary example'],
    ['domain_character', 'alice@ordinary\u0000.example'],
    ['domain_character', 'alice@under_score.example'],
    ['domain_character', 'alice@ordinary.example>'],
    ['invisible_character', 'ad\u200ba@ordinary.example'],
    ['invisible_character', 'ada\u200b@ordinary.example'],
    ['invisible_character', 'ada@\u200bordinary.example'],
    ['invisible_character', 'ada@ordi\u00adnary.example'],
    ['invisible_character', 'ada@ordi\u2060nary.example'],
    ['invisible_character', 'ada@ordinary\u3000.example'],
    ['invisible_character', 'a\u00a0b@ordinary.example'],
    ['invisible_character', '"a\u00a0b"@ordinary.example'],
    ['invisible_character', '"\ufeff"@ordinary.example'],
    ['invisible_character', 'a\u202eb@ordinary.example'],
    ['invisible_character', 'a\u2067b@ordinary.example'],
    ['invisible_character', 'a\u061cb@ordinary.example'],
    ['invisible_character', 'a\ufe0fb@ordinary.example'],
    ['invisible_character', 'a\u3164b@ordinary.example'],
    ['invisible_character', 'a\u{e0041}b@ordinary.example'],
    ['invisible_character', 'a\ue000b@ordinary.example'],
    ['invisible_character', 'a\u{10ffff}b@ordinary.example'],
    ['invisible_character', 'a\u0378b@ordinary.example'],
    ['invisible_character', 'a\u200db@ordinary.example'],
    ['invisible_character', 'क\u200dष@ordinary.example'],
    ['invisible_character', '\u{1f468}\u200d\u{1f469}@ordinary.example'],
    ['invisible_character', 'ada@क\u200dष.example'],
    // NFC turns the Greek question mark into a semicolon.
    ['local_part_character', 'a\u037eb@ordinary.example'],
    ['not_unicode', 'ada\ufffd@ordinary.example'],
    ['not_unicode', 'ada@ordin\ufffdry.example'],
    ['domain_character', 'alice@example\u0020.example'],
    ['domain_label', 'alice@.example'],
    ['domain_label', 'alice@ordinary..example'],
    ['domain_label', 'alice@ordinary.example.'],
    ['domain_label', 'alice@-ordinary.example'],
    ['domain_label', 'alice@ordinary-.example'],
    ['domain_label', `alice@${'a'.repeat(64)}.example`],
    ['address_literal', 'alice@[]'],
    ['address_literal', 'alice@[192.0.2.256]'],
    ['address_literal', 'alice@[192.0.2.1'],
    ['address_literal', 'alice@[2001:db8::1]'],
    ['address_literal', 'alice@[IPv6:192.0.2.1]'],
    ['address_literal', 'alice@[x400:abc]'],
    ['not_unicode', 'alice\ud800@ordinary.example'],
    ['address_too_long', `alice@${'a.'.repeat(200)}example`],
    ['address_too_long', 'a'.repeat(400)],
  ])('breaks the rule %s: %j', (code, written) => {
    expect(faultOf(written)).toBe(code);
  });

  it.each([
    ['ad\u200ba@ordinary.example', 'The part before the @ contains U+200B ZERO WIDTH SPACE.'],
    ['ada@ordinary\u00ad.example', 'The domain contains U+00AD SOFT HYPHEN.'],
    ['a\u{e0041}b@ordinary.example', 'The part before the @ contains U+E0041.'],
    ['a\u200db@ordinary.example', 'The part before the @ contains U+200D ZERO WIDTH JOINER.'],
  ])('names the invisible character of %j', (written, sentence) => {
    const result = parseEmailAddress(written);
    expect(!result.ok && result.fault.message).toContain(sentence);
  });

  it('is explained without repeating an invisible character', () => {
    const result = parseEmailAddress('a\u0000b@ordinary.example');
    expect(!result.ok && result.fault.message).toBe(
      'The part before the @ must not contain the character U+0000 outside quotes.',
    );
  });
});

describe('any string', () => {
  it('is parsed or refused, never crashes, and what is parsed reads the same again', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('@', '"', '\\', '.', '[', ']', 'a', 'xn--', '\u0000', 'é', 'IPv6:', '::1', ' '),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), pieces => {
        const result = parseEmailAddress(pieces.join(''));
        if (result.ok) {
          expect(parsed(result.value.normalized).normalized).toBe(result.value.normalized);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
