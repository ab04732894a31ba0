import { describe, expect, it } from '@jest/globals';
import { createAddressTally } from './address-tally.ts';

describe('the different addresses of a list', () => {
  it('are told without regard to case; the first spelling is the one that is asked about', () => {
    const tally = createAddressTally();
    const counted = ['ADA@Company.Example', 'ada@company.example', 'Ada <Ada@COMPANY.example>'].map(
      tally.count,
    );
    expect(counted.map(({ isNew }) => isNew)).toEqual([
      { addressNo: 1, email: 'ADA@Company.Example', normalised: 'ada@company.example' },
      undefined,
      undefined,
    ]);
    expect(counted.map(({ row }) => [row.addressNo, row.isDuplicate])).toEqual([
      [1, false],
      [1, true],
      [1, true],
    ]);
    expect([tally.counts(), tally.addresses()]).toEqual([
      { total: 3, valid: 3, broken: 0, blank: 0, duplicate: 2 },
      1,
    ]);
  });

  it('are told in other alphabets too, and tags and dots are different ones', () => {
    const tally = createAddressTally();
    for (const cell of [
      'ЁЛКА@почта.рф',
      'ёлка@почта.рф',
      'ada+news@a.example',
      'ada@a.example',
      'a.da@a.example',
    ]) {
      tally.count(cell);
    }
    expect([tally.counts().duplicate, tally.addresses()]).toEqual([1, 4]);
  });
});
