import { describe, expect, test } from '@jest/globals';
import { newId } from '@mailproof/shared-types';
import type { PatternTally } from '../outcomes/outcome-store.ts';
import type { PatternClass } from '../outcomes/pattern-class.ts';
import { amply } from '../testing/fakes.ts';
import { localPartPattern } from './local-part-pattern.ts';
import { inquiryAbout, portsOf } from './testing/fakes.ts';

const [asker, bob, eve] = [newId('account'), newId('account'), newId('account')];
const tally = (
  accountId: PatternTally['accountId'],
  patternClass: PatternClass,
  good: number,
  bad = 0,
): PatternTally => ({ accountId, patternClass, good, bad });

async function found(tallies: readonly PatternTally[], address = 'ada.lovelace@a.example') {
  const outcomes = { ofAddress: async () => [], ofDomain: async () => tallies };
  const inquiry = inquiryAbout(address, { accountId: asker });
  const { observations } = await localPartPattern.gather(portsOf({ outcomes }).ports, inquiry, amply());
  return observations.map(({ finding }) => finding).join();
}

describe('the shape of an address', () => {
  test.each<readonly [string, string, readonly PatternTally[]]>([
    ['match', 'of known-good addresses', [tally(asker, 'word.word', 2)]],
    ['match', 'of mostly good addresses', [tally(asker, 'word.word', 8, 2)]],
    ['no_pattern', 'of addresses that often bounce', [tally(asker, 'word.word', 3, 2)]],
    ['no_pattern', 'of one address', [tally(asker, 'word.word', 1)]],
    [
      'mismatch',
      'that no known-good address has',
      [tally(asker, 'initial.word', 2), tally(asker, 'word.word', 0, 1)],
    ],
    ['no_pattern', 'next to role mailboxes', [tally(asker, 'role', 9)]],
    ['no_pattern', 'of which one other account knows', [tally(bob, 'word.word', 9)]],
    ['match', 'of which two other accounts know', [tally(bob, 'word.word', 2), tally(eve, 'word.word', 2)]],
    ['mismatch', 'against two other accounts’', [tally(bob, 'word', 2), tally(eve, 'word', 2)]],
    ['no_pattern', 'on which others disagree', [tally(bob, 'word.word', 2), tally(eve, 'word', 2)]],
    [
      'no_pattern',
      'of one account’s many and another’s one',
      [tally(bob, 'word.word', 50), tally(eve, 'word.word', 1)],
    ],
    [
      'mismatch',
      'by the account’s own first',
      [tally(asker, 'word', 2), tally(bob, 'word.word', 2), tally(eve, 'word.word', 2)],
    ],
    ['no_pattern', 'at an unknown domain', []],
  ])('%s: %s', async (expected, _name, tallies) => {
    expect(await found(tallies)).toBe(expected);
  });

  test.each(['info@a.example', '12345@a.example', 'ada99@a.example'])('%s has none', async address => {
    expect(await found([tally(asker, 'word.word', 9)], address)).toBe('no_pattern');
  });
});
