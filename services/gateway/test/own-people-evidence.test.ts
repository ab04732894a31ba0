import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { catchAllPostfix } from '@mailproof/mail-lab';
import { suppressProfile } from '@mailproof/shared-types';
import pg from 'pg';
import { type Customer, validating } from './house.ts';
import { type JobHouse, openJobHouse, startJob, untilJobEnded, uploadJob } from './job-house.ts';
import { peerOf } from './peer-of.ts';
import { until } from './until.ts';

const domain = 'takes-all.example';

let house: JobHouse;
let store: pg.Pool;
/** Two accounts that have reported nothing: the first has imported people of the domain. */
let importer: Customer;
let other: Customer;

beforeAll(async () => {
  house = await openJobHouse(
    [
      {
        domain,
        story: 'Accepts every recipient.',
        dns: { mx: [[10, `mx.${domain}`]] },
        hosts: { [`mx.${domain}`]: catchAllPostfix() },
        expected: [],
      },
    ],
    { only: [...validating, 'enrichment'] },
  );
  store = new pg.Pool({
    connectionString: house.test.house.databaseUrls['enrichment']?.databaseUrl,
    options: '-c search_path=enrichment',
  });
  const open = () => house.test.open({ credits: 1_000, requestsPerSecond: 1_000 });
  // Two paying accounts agree on how the domain writes its addresses, so the pattern is known to every account.
  for (const reporter of [await open(), await open()]) {
    const at = new Date(Date.now() - 86_400_000).toISOString();
    const known = ['kim.one', 'lee.two', 'max.three'].map(each => `${each}@${domain},delivered,${at}`);
    await reporter.post('/outcomes', ['email,outcome,date', ...known].join('\n'), {
      'content-type': 'text/csv',
    });
  }
  [importer, other] = [await open(), await open()];
  await importPeople(importer, ['Ada Lovelace', 'Grace Hopper', 'Sue Pressed']);
}, 180_000);

afterAll(async () => {
  await store?.end();
  await house?.stop();
});

const urlOf = (name: string) => `https://www.linkedin.com/in/${name.toLowerCase().replace(' ', '-')}`;

const signIn = async ({ accountId }: Customer) => (await house.test.owner({ accountId })).signIn();

/** Imports people who work at the domain, and waits until they can be found by their names. */
async function importPeople(who: Customer, names: readonly string[]): Promise<void> {
  const owner = await signIn(who);
  const rows = names.map(name => `${name},${urlOf(name)},Acme,${domain}`);
  const { status, body } = await owner.send('/people-imports', {
    method: 'POST',
    headers: { 'content-type': 'text/csv' },
    body: ['Name,LinkedIn,Company,Company Domain', ...rows].join('\n'),
  });
  expect([status, body['detail']]).toEqual([201, undefined]);
  const path = `/people-imports/${body['import_id']}`;
  expect((await owner.post(`${path}/start`, {})).status).toBe(202);
  await until(
    'the end of the import',
    async () => (await owner.get(path)).body,
    ({ state }) => state === 'succeeded',
  );
  await until(
    'the keys of names',
    async () => (await store.query('SELECT FROM own_person_without_keys')).rowCount,
    count => count === 0,
  );
}

interface Told {
  readonly finding: string | undefined;
  readonly isRemembered: boolean;
  readonly posterior: number;
}

async function judge(localPart: string, who: Customer): Promise<Told> {
  const email = `${localPart}@${domain}`;
  const { body } = await who.post('/validate-single-email?details=true', JSON.stringify({ email }));
  const { catch_all, sessions } = body['details'] as {
    sessions: unknown[];
    catch_all: { posterior: number; evidence: { source: string; finding: string }[] };
  };
  return {
    finding: catch_all.evidence.find(({ source }) => source === 'known_person')?.finding,
    isRemembered: sessions.length === 0,
    posterior: catch_all.posterior,
  };
}

describe('people whom an account has imported', () => {
  it.each([
    ['the account first', 'ada.lovelace', () => [importer, other]],
    ['another account first', 'grace.hopper', () => [other, importer]],
  ])('are evidence for this account alone, from memory too: %s', async (_order, localPart, accounts) => {
    const told = new Map<Customer, Told>();
    for (const who of accounts()) {
      const fresh = await judge(localPart, who);
      const again = await judge(localPart, who);
      expect(fresh).toMatchObject({
        finding: who === importer ? 'fits_pattern' : 'no_one_known',
        isRemembered: false,
      });
      expect(again).toEqual({ ...fresh, isRemembered: true });
      told.set(who, again);
    }
    expect(told.get(importer)?.posterior).toBeGreaterThan(told.get(other)?.posterior ?? 1);
    for (const who of accounts()) {
      expect(await judge(localPart, who)).toEqual(told.get(who));
    }
  });

  it('leave other addresses of the domain to the memory of all accounts', async () => {
    expect(await judge('no.person', other)).toMatchObject({ finding: 'no_one_known', isRemembered: false });
    expect(await judge('no.person', importer)).toMatchObject({ finding: 'no_one_known', isRemembered: true });
  });

  it('are evidence in a list of this account, and not in the same list of another', async () => {
    const addresses = ['ada.lovelace', 'zoe.ames'].map(localPart => `${localPart}@${domain}`);
    await importPeople(importer, ['Zoe Ames']);
    for (const who of [importer, other]) {
      const owner = await signIn(who);
      const jobId = await uploadJob(owner, addresses);
      await startJob(owner, jobId);
      expect(await untilJobEnded(owner, jobId)).toMatchObject({ state: 'succeeded' });
      expect(await judge('zoe.ames', who)).toMatchObject({
        finding: who === importer ? 'fits_pattern' : 'no_one_known',
        isRemembered: true,
      });
    }
  });

  it('are no evidence from the moment they are suppressed, not from memory either', async () => {
    expect((await judge('sue.pressed', importer)).finding).toBe('fits_pattern');
    expect(await judge('sue.pressed', importer)).toMatchObject({
      finding: 'fits_pattern',
      isRemembered: true,
    });
    const gateway = await peerOf(house.test.house, 'gateway', 'enrichment');
    try {
      await gateway.ask(suppressProfile, { params: {}, body: { profileUrl: urlOf('Sue Pressed') } });
    } finally {
      await gateway.close();
    }
    expect((await judge('sue.pressed', importer)).finding).toBe('no_one_known');
  });
});
