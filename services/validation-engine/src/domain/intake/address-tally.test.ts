import { describe, expect, it } from '@jest/globals';
import { createAddressTally } from './address-tally.ts';

describe('the different addresses of a list', () => {
  it('are found regardless of case; the first spelling is validated', () => {
    const tally = createAddressTally();
    const counted = ['ADA@Company.Example', 'ada@company.example', 'Ada <Ada@COMPANY.example>'].map(
      tally.count,
    );
    expect(counted.map(({ isNew }) => isNew)).toEqual([
      { addressNo: 1, email: 'ADA@Company.Example', normalized: 'ada@company.example' },
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

  it('are found in other alphabets too; tags and dots make different addresses', () => {
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

  it('are told in NFC, and each is asked about as its first row has it', () => {
    const tally = createAddressTally();
    const [first, second] = ['jo\u0308rg@a.example', 'J\u00d6RG@a.example'].map(tally.count);
    expect(first?.isNew).toMatchObject({ email: 'jo\u0308rg@a.example', normalized: 'j\u00f6rg@a.example' });
    expect(second?.row).toEqual({ addressNo: 1, fault: null, isDuplicate: true });
    // The lowercase letter composes here, while the uppercase one does not.
    expect(['j\u030c@a.example', 'J\u030c@a.example'].map(cell => tally.count(cell).row.isDuplicate)).toEqual(
      [false, true],
    );
  });

  it('are none where their letters are a guess', () => {
    const tally = createAddressTally({ encodingIsGuess: () => true });
    const faults = ['ada\u00ff@a.example', 'Zo\u00eb <zoe@a.example>', 'ada@b\u00fccher.example'].map(
      cell => tally.count(cell).row.fault,
    );
    expect(faults).toEqual(['encoding_guessed', null, 'encoding_guessed']);
    expect(tally.counts()).toEqual({ total: 3, valid: 1, broken: 2, blank: 0, duplicate: 0 });
  });
});
