import { describe, expect, test } from '@jest/globals';
import type { SourceId } from '../catch-all/observation.ts';
import { weights } from '../catch-all/weights.ts';
import { explainEvidence } from './explain-evidence.ts';

/** Each finding that counts, and its weight. */
const counting = Object.entries(weights.sources).flatMap(([source, { llr }]) =>
  Object.entries(llr).flatMap(([finding, weight]) =>
    weight === 0 ? [] : [{ source: source as SourceId, finding, llr: weight }],
  ),
);

describe('the evidence about an address', () => {
  test.each(counting.filter(({ source, llr }) => source !== 'local_part_shape' || llr < 0))(
    'is explained in a sentence: $source $finding',
    observation => {
      const [sentence, ...others] = explainEvidence([observation as never]);
      expect(sentence).toMatch(/^\p{Lu}.*\.$/u);
      expect(others).toEqual([]);
    },
  );

  test('is not explained where it says nothing', () => {
    const silent = [
      { source: 'published_on_site', finding: 'not_printed', llr: 0 },
      { source: 'openpgpkey', finding: 'not_published', llr: 0 },
      { source: 'known_person', finding: 'no_one_known', llr: 0 },
      { source: 'local_part_shape', finding: 'role', llr: 0.2 },
      { source: 'mail_provider', finding: 'gateway', llr: 0 },
    ] as const;
    expect(explainEvidence(silent)).toEqual([]);
  });

  test('does not tell the outcomes of other accounts from own ones', () => {
    const of = (finding: 'delivered' | 'agreed_delivered') => ({
      source: 'outcome_history' as const,
      finding,
      llr: 3,
    });
    expect(explainEvidence([of('agreed_delivered')])).toEqual(explainEvidence([of('delivered')]));
    expect(explainEvidence([of('delivered'), of('agreed_delivered')])).toHaveLength(1);
  });

  test('says the same once, if several mail hosts do', () => {
    const knows = { source: 'published_mx', finding: 'knows_recipient', llr: 6 } as const;
    expect(explainEvidence([knows, knows])).toHaveLength(1);
  });
});
