import { describe, expect, test } from '@jest/globals';
import type { DnsAnswer } from '../dns/mail-dns.ts';
import { amply } from '../testing/fakes.ts';
import { keyRecordLabel, openPgpKey, smimea } from './key-records.ts';
import {
  createFakeEvidenceDns,
  inquiryAbout,
  keyOf,
  lost,
  nodata,
  portsOf,
  stranger,
} from './testing/fakes.ts';

const association = Uint8Array.of(3, 0, 1, 0xab, 0xcd);
const answerOf = (record: Uint8Array): DnsAnswer<Uint8Array> => ({ kind: 'answer', records: [record] });

describe.each([
  {
    source: openPgpKey,
    type: 'OPENPGPKEY',
    parent: '_openpgpkey',
    record: keyOf('ada@a.example'),
    other: association,
  },
  {
    source: smimea,
    type: 'SMIMEA',
    parent: '_smimecert',
    record: association,
    other: Uint8Array.of(9, 9, 9, 9),
  },
])('$type', ({ source, type, parent, record, other }) => {
  const questionAbout = (localPart: string) => `${type} ${keyRecordLabel(localPart)}.${parent}.a.example`;
  const real = questionAbout('Ada');
  const control = questionAbout(stranger);

  async function ask(records: Readonly<Record<string, DnsAnswer<Uint8Array>>>) {
    const { dns, asked } = createFakeEvidenceDns(records);
    const { observations } = await source.gather(
      portsOf({ dns }).ports,
      inquiryAbout('Ada@a.example'),
      amply(),
    );
    return { findings: observations.map(({ finding }) => finding), asked };
  }

  test('confirms a mailbox where a made-up one has no record', async () => {
    expect(await ask({ [real]: answerOf(record), [control]: nodata })).toEqual({
      findings: ['published'],
      asked: [real, control],
    });
  });

  test('asks no control question where nothing is published', async () => {
    expect(await ask({ [real]: { kind: 'nxdomain' } })).toEqual({
      findings: ['not_published'],
      asked: [real],
    });
  });

  test.each<readonly [string, DnsAnswer<Uint8Array>, DnsAnswer<Uint8Array> | undefined, string]>([
    ['a wildcard', answerOf(record), answerOf(record), 'published_for_everybody'],
    ['a control question without an answer', answerOf(record), lost, 'no_answer'],
    ['no answer', lost, undefined, 'no_answer'],
    ['a record that is none', answerOf(other), undefined, 'not_published'],
    ['an empty record', answerOf(new Uint8Array()), undefined, 'not_published'],
  ])('takes %s for no evidence', async (_name, first, second, finding) => {
    const { findings } = await ask({ [real]: first, ...(second !== undefined && { [control]: second }) });
    expect(findings).toEqual([finding]);
  });

  test('asks no more than it declares', async () => {
    const { asked } = await ask({ [real]: answerOf(record), [control]: answerOf(record) });
    expect(asked.length).toBeLessThanOrEqual(source.cost.dnsQuestions);
  });
});

describe('the label of a key record', () => {
  test('is the one of the standard’s example', () => {
    // RFC 7929 section 3, for hugh@example.com.
    expect(keyRecordLabel('hugh')).toBe('c93f1e400f26708f98cb19d936620da35eec8f72e57f9eec01c1afd6');
  });

  test('keeps upper case, which only the domain may ignore', () => {
    expect(keyRecordLabel('Hugh')).not.toBe(keyRecordLabel('hugh'));
  });

  test('does not depend on how a letter is composed', () => {
    expect(keyRecordLabel('jo\u0308rg')).toBe(keyRecordLabel('j\u00f6rg'));
  });
});
