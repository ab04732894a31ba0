import { describe, expect, it } from '@jest/globals';
import { entryKinds, movements } from '@mailproof/shared-types';
import { movementsNames, readMovements, signed } from './statement-words.ts';

describe('a statement', () => {
  it('has each kind of entry in exactly one of its halves', () => {
    expect(Object.values(movements).flat().toSorted()).toEqual(entryKinds.toSorted());
  });

  it('reads a half from a URL only if it exists', () => {
    expect([...Object.keys(movementsNames), 'valueOf', 1].map(readMovements)).toEqual([
      'spending',
      'grants',
      undefined,
      undefined,
    ]);
  });

  it('shows the sign of a change', () => {
    expect([1_000, -5, 0].map(signed)).toEqual(['+1,000', '−5', '0']);
  });
});
