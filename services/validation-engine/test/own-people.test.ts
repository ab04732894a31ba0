import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { catchAllPostfix, type MailLab, startMailLab } from '@mailproof/mail-lab';
import { type AccountId, newId } from '@mailproof/shared-types';
import { labSettings, startEngine, type TestEngine } from './engine-in-lab.ts';

const domain = 'takes-all.example';
/** The account whose own people make each local part; others know no one. */
const importers = new Map<string, AccountId>();

let lab: MailLab;
let engine: TestEngine;

beforeAll(async () => {
  lab = await startMailLab({
    catalog: [
      {
        domain,
        story: 'Accepts every recipient.',
        dns: { mx: [[10, `mx.${domain}`]] },
        hosts: { [`mx.${domain}`]: catchAllPostfix() },
        expected: [],
      },
    ],
  });
  const settings = { ...labSettings(lab), VALIDATION_MEMORY_DECIDED_SECONDS: '600' };
  engine = await startEngine(settings, {
    knownPeople: {
      match: async (_domain, localPart, _deadline, accountId) =>
        accountId !== undefined && importers.get(localPart) === accountId
          ? {
              current: [{ pattern: 'first.last', people: 'one', ageDays: 30 }],
              hasLeft: false,
              restsOnOwnPeople: true,
            }
          : { current: [], hasLeft: false },
    },
  });
}, 120_000);

afterAll(async () => {
  await engine?.stop();
  await lab?.close();
});

async function judge(localPart: string, accountId: AccountId) {
  const { details } = await engine.validate(`${localPart}@${domain}`, 60_000, accountId);
  return {
    finding: details.catch_all?.evidence.find(({ source }) => source === 'known_person')?.finding,
    isRemembered: details.sessions.length === 0,
  };
}

test.each([
  ['the importing account asks first', 'ada.lovelace', true],
  ['another account asks first', 'grace.hopper', false],
])(
  'own people count for their account alone, in Redis too: %s',
  async (_order, localPart, isImporterFirst) => {
    const [importer, other] = [newId('account'), newId('account')];
    importers.set(localPart, importer);
    const accounts = isImporterFirst ? [importer, other] : [other, importer];
    for (const isRemembered of [false, true]) {
      for (const accountId of accounts) {
        const finding = accountId === importer ? 'fits_name' : 'no_one_known';
        expect(await judge(localPart, accountId)).toEqual({ finding, isRemembered });
      }
    }
    // Once the person is deleted, what other accounts are told is told to this one too.
    importers.delete(localPart);
    expect(await judge(localPart, importer)).toEqual({ finding: 'no_one_known', isRemembered: true });
  },
);
