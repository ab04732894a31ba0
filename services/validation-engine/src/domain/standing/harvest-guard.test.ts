import { expect, test } from '@jest/globals';
import { newId } from '@mailproof/shared-types';
import { emailOf } from '../testing/fakes.ts';
import { createHarvestGuard } from './harvest-guard.ts';

const accountId = newId('account');

/** A guard of somebody who has asked about so many addresses, all of them missing. */
function guardWith(asked: number, addressesMax = 10) {
  const counted: string[] = [];
  const guard = createHarvestGuard({
    counter: {
      async ask(_account, email, guessing) {
        const isCounted = asked < guessing.addressesMax;
        if (isCounted) {
          counted.push(`asked ${email.normalised}`);
        }
        return isCounted;
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
  const { guard, counted } = guardWith(50);
  expect(await guard.ask(accountId, emailOf('ada@freemail.example'))).toBeUndefined();
  expect((await guard.ask(accountId, emailOf('ada@company.example')))?.decision).toEqual({
    result: 'unknown',
    reason: 'harvest_suspected',
  });
  expect(counted).toEqual(['asked ada@freemail.example']);
});

test('a guard that is switched off counts nothing', async () => {
  const { guard, counted } = guardWith(50, 0);
  expect(await guard.ask(accountId, emailOf('ada@company.example'))).toBeUndefined();
  expect(counted).toEqual([]);
});
