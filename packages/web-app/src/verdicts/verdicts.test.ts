import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { validationResults, verdictReasons } from '@mailproof/shared-types';
import { byWeight, evidenceText, strengthOf, weightMax } from './evidence.ts';
import { reasonWords, sentenceOf, wordsOf } from './reasons.ts';

describe('the words for a reason', () => {
  it('exist for every reason, and for no other', () => {
    expect(Object.keys(reasonWords).sort()).toEqual(Object.keys(verdictReasons).sort());
  });

  it.each(Object.entries(reasonWords))('of %s are whole sentences', (_, words) => {
    expect(words.why).toMatch(/^[A-Z].*\.$/);
    // A cell of a table has one line.
    expect(words.name).toMatch(/^[A-Z].{3,24}[^.]$/);
    if ('next' in words) expect(words.next).toMatch(/^[A-Z].*\.$/);
  });

  it('are those of the API if the page does not know the reason', () => {
    expect(wordsOf('newer_than_this', 'The API says so.')).toEqual({
      name: 'The API says so.',
      why: 'The API says so.',
    });
    expect(wordsOf('toString', 'No reason.')).toEqual({ name: 'No reason.', why: 'No reason.' });
  });
});

describe('the answer', () => {
  it.each(validationResults)('to %s is one sentence with the address in it', result => {
    expect(sentenceOf(result, 'ada@ordinary.example')).toMatch(/^[A-Z].* ada@ordinary\.example .*\.$/);
  });
});

/** The engine's evidence weights; the API omits the prefix `agreed_`. */
const weighed = JSON.parse(
  readFileSync(
    new URL('../../../../services/validation-engine/src/domain/catch-all/weights.json', import.meta.url),
    'utf8',
  ),
) as { sources: Record<string, { llr: Record<string, number> }> };

const findings = Object.entries(weighed.sources).flatMap(([source, { llr }]) =>
  Object.entries(llr).map(([finding, weight]) => [source, finding.replace(/^agreed_/, ''), weight] as const),
);

describe('evidence in words', () => {
  it.each(findings)('%s: %s', (source, finding, weight) => {
    const evidence = { source, finding, weight, address_specific: true };
    const text = evidenceText(evidence);
    // Checks that the finding has its own text instead of the fallback derived from the identifier.
    expect(text.finding).not.toBe(evidenceText({ ...evidence, source: 'none' }).finding);
    expect(text.finding).toMatch(/^[A-Z].*\.$/);
    expect(Math.abs(weight)).toBeLessThanOrEqual(weightMax);
  });

  it('is readable even if the page does not know the source', () => {
    expect(
      evidenceText({ source: 'tea_leaves', finding: 'very_good', weight: 1, address_specific: true }),
    ).toEqual({ name: 'Tea leaves', finding: 'Very good.' });
  });

  it('says which side it supports, and how strongly', () => {
    expect([-6, -2, -0.5, 0, 0.5, 1.5, 6].map(strengthOf)).toEqual([
      'strong evidence against',
      'evidence against',
      'weak evidence against',
      'neutral',
      'weak evidence for',
      'evidence for',
      'strong evidence for',
    ]);
  });

  it('is sorted by weight', () => {
    const of = (weight: number) => ({ source: 's', finding: 'f', weight, address_specific: true });
    expect(byWeight([of(0), of(1), of(-3)]).map(({ weight }) => weight)).toEqual([-3, 1, 0]);
  });
});
