import { expect, test } from '@jest/globals';
import { newId } from '@mailproof/shared-types';
import { emailOf } from '../testing/fakes.ts';
import { createHarvestGuard, type HarvestCounts, isHarvest } from './harvest-guard.ts';

test.each([
  ['few addresses, all missing', { asked: 199, missing: 199 }, false],
  ['many, half of them missing', { asked: 200, missing: 100 }, false],
  ['many, most of them missing', { asked: 200, missing: 101 }, true],
  ['very many that exist', { asked: 10_000, missing: 10 }, false],
])('%s', (_, counts, expected) => {
  expect(isHarvest(counts, 200, 0.5)).toBe(expected);
});

const accountId = newId('account');

function guardWith(counts: HarvestCounts, addressesMax = 10) {
  const counted: string[] = [];
  const guard = createHarvestGuard({
    counter: {
      async ask(_account, email, refuses) {
        if (!refuses(counts)) {
          counted.push(`asked ${email.normalised}`);
        }
        return counts;
      },
      async countMissing(_account, email) {
        counted.push(`missing ${email.normalised}`);
      },
    },
    limits: { addressesMax, freemailAddressesMax: 100, missingShareMax: 0.5 },
    freemailDomains: new Set(['freemail.example']),
  });
  return { guard, counted };
}

test('a domain whose mailboxes belong to anybody has a limit of its own', async () => {
  const { guard, counted } = guardWith({ asked: 50, missing: 40 });
  expect(await guard.ask(accountId, emailOf('ada@freemail.example'))).toBeUndefined();
  expect((await guard.ask(accountId, emailOf('ada@company.example')))?.decision).toEqual({
    result: 'unknown',
    reason: 'harvest_suspected',
  });
  expect(counted).toEqual(['asked ada@freemail.example']);
});

test('a guard that is switched off counts nothing', async () => {
  const { guard, counted } = guardWith({ asked: 50, missing: 50 }, 0);
  expect(await guard.ask(accountId, emailOf('ada@company.example'))).toBeUndefined();
  expect(counted).toEqual([]);
});
