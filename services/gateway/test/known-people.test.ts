import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { catchAllPostfix } from '@mailproof/mail-lab';
import { newId, suppressProfile } from '@mailproof/shared-types';
import pg from 'pg';
import { type Customer, validating } from './house.ts';
import { type JobHouse, openJobHouse, startJob, untilJobEnded, uploadJob } from './job-house.ts';
import { peerOf } from './peer-of.ts';
import { type StepProxy, startStepProxy } from './step-proxy.ts';
import { until } from './until.ts';

let house: JobHouse;
let proxy: StepProxy;
let store: pg.Pool;
let customer: Customer;

const domains = ['takes-all.example', 'takes-more.example'] as const;
const today = new Date().toISOString().slice(0, 10);

beforeAll(async () => {
  proxy = await startStepProxy();
  house = await openJobHouse(
    domains.map(domain => ({
      domain,
      story: 'Accepts every recipient.',
      dns: { mx: [[10, `mx.${domain}`]] },
      hosts: { [`mx.${domain}`]: catchAllPostfix() },
      expected: [],
    })),
    {
      only: [...validating, 'enrichment'],
      env: { 'validation-engine': { ENRICHMENT_URL: proxy.url, VALIDATION_MEMORY_DECIDED_SECONDS: '0' } },
    },
  );
  proxy.passTo(house.test.house.services['enrichment']?.internalUrl ?? '');
  store = new pg.Pool({
    connectionString: house.test.house.databaseUrls['enrichment']?.databaseUrl,
    options: '-c search_path=enrichment',
  });
  await store.query(
    `INSERT INTO source (kind, name, licence, retrieved_on) VALUES ('import', 'Names', 'CC0-1.0', $1)`,
    [today],
  );
  for (const domain of [...domains, 'takes-all-inc.example']) {
    await store.query(
      `INSERT INTO company (company_id, domain, name, source_id) SELECT $1, $2, $2, source_id FROM source WHERE name = 'Names'`,
      [newId('company'), domain],
    );
  }
  await hire('ada-lovelace', 'Ada Lovelace');
  await hire('anna-meier-1', 'Anna Meier');
  await hire('anna-meier-2', 'Anna Meier');
  await hire('grace-hopper', 'Grace Hopper', 'takes-more.example');
  await hire('sue-pressed', 'Sue Pressed');
  await hire('sam-similar', 'Sam Similar', 'takes-all-inc.example');
  await hire('a-al', 'A Al');
  await hire('ines-info', 'Ines Info');
  // Worked for the first company before.
  await store.query(
    `INSERT INTO record_history (person_no, field, old_value, old_source_id, changed_at)
     SELECT person_no, 'company_no', to_jsonb(company.company_no), person.source_id, now()
     FROM person, company WHERE full_name = 'Grace Hopper' AND domain = $1`,
    [domains[0]],
  );
  await store.query(
    `UPDATE person SET change_no = nextval('record_change_no') WHERE full_name = 'Grace Hopper'`,
  );
  await untilKeysAreWritten();
  customer = await house.test.open({ credits: 1_000, requestsPerSecond: 1_000 });
  const known = ['kim.one', 'lee.two', 'max.three'].map(
    localPart => `${localPart}@${domains[0]},delivered,${new Date(Date.now() - 86_400_000).toISOString()}`,
  );
  await customer.post('/outcomes', ['email,outcome,date', ...known].join('\n'), {
    'content-type': 'text/csv',
  });
});

afterAll(async () => {
  await store?.end();
  await house?.stop();
  await proxy?.close();
});

async function hire(slug: string, fullName: string, domain: string = domains[0]): Promise<void> {
  await store.query(
    `INSERT INTO person (person_id, profile_key, profile_url, full_name, company_no, company_name, source_id)
     SELECT $1, $2, 'https://' || $2, $3, company_no, domain, source_id FROM company WHERE domain = $4`,
    [newId('person'), `linkedin.com/in/${slug}`, fullName, domain],
  );
}

/** Waits until all people can be found by their names. */
async function untilKeysAreWritten(): Promise<void> {
  const missing =
    'SELECT FROM person WHERE change_no > (SELECT coalesce(max(change_no), 0) FROM name_key_rules)';
  await until(
    'the keys of names',
    async () => (await store.query(missing)).rowCount,
    count => count === 0,
  );
}

interface Judged {
  readonly result: unknown;
  readonly finding: string | undefined;
  readonly explanation: string;
  readonly posterior: number;
}

async function judge(localPart: string, domain: string = domains[0], who = customer): Promise<Judged> {
  const email = `${localPart}@${domain}`;
  const { body } = await who.post('/validate-single-email?details=true', JSON.stringify({ email }));
  const details = body['details'] as {
    explanation: string;
    catch_all?: { posterior: number; evidence: { source: string; finding: string }[] };
  };
  return {
    result: body['result'],
    finding: details.catch_all?.evidence.find(({ source }) => source === 'known_person')?.finding,
    explanation: details.explanation,
    posterior: details.catch_all?.posterior ?? 0,
  };
}

describe('a person who is known to work at a catch-all domain', () => {
  it('supports the address by the pattern of reported outcomes, and is not named', async () => {
    const judged = await judge('ada.lovelace');
    expect(judged).toMatchObject({ result: 'catch_all', finding: 'fits_pattern' });
    expect(judged.posterior).toBeGreaterThan(0.9);
    expect(judged.posterior).toBeGreaterThan((await judge('no.person')).posterior);
    expect(judged.explanation).toContain(
      'A person known to work at this company has a name that makes this address.',
    );
  });

  it('supports it less for an account that knows no pattern of the domain', async () => {
    const other = await house.test.open({ credits: 10 });
    const judged = await judge('ada.lovelace', domains[0], other);
    expect(judged).toMatchObject({ result: 'catch_all', finding: 'fits_name' });
    expect(judged.posterior).toBeLessThan((await judge('ada.lovelace')).posterior);
  });
});

describe('no address is confirmed', () => {
  it.each([
    ['by another pattern than the known one', 'alovelace', 'other_pattern'],
    ['of a namesake pair', 'anna.meier', 'namesakes_fit_pattern'],
    ['of a namesake pair with a number', 'anna.meier2', 'namesakes_fit_pattern'],
    ['of a person who left', 'grace.hopper', 'has_left'],
    ['of a person at a company with a similar domain', 'sam.similar', 'no_one_known'],
    ['of a nickname with one letter', 'a', 'not_a_name'],
    ['of a role that is also a name', 'info', 'not_a_name'],
    ['of random letters', 'xkcdqzpw', 'no_one_known'],
  ])('%s: %s', async (_name, localPart, finding) => {
    expect(await judge(localPart)).toMatchObject({ result: 'catch_all', finding });
  });

  it('of a suppressed person, from the moment of the suppression', async () => {
    expect((await judge('sue.pressed')).finding).toBe('fits_pattern');
    const gateway = await peerOf(house.test.house, 'gateway', 'enrichment');
    try {
      const profileUrl = 'https://www.linkedin.com/in/sue-pressed';
      await gateway.ask(suppressProfile, { params: {}, body: { profileUrl } });
    } finally {
      await gateway.close();
    }
    expect(await judge('sue.pressed')).toMatchObject({ result: 'catch_all', finding: 'no_one_known' });
  });

  it('of a person in another account’s own data', async () => {
    const profile = { full_name: 'Olga Other', company: { domain: domains[0] } };
    await store.query(
      `INSERT INTO provider_answer (account_id, key_hash, answer, said_at, expires_at)
       VALUES ($1, '\\x00', $2, now(), now() + interval '1 day')`,
      [newId('account'), JSON.stringify({ profile })],
    );
    expect(await judge('olga.other')).toMatchObject({ result: 'catch_all', finding: 'no_one_known' });
  });
});

describe('a list', () => {
  it('with 50 addresses at one catch-all domain asks enrichment at most twice', async () => {
    const owner = await (await house.test.owner({ accountId: customer.accountId })).signIn();
    const addresses = Array.from(
      { length: 50 },
      (_, index) => `ada.l${'abcdefghij'.charAt(index % 10)}${'aeiou'.charAt(index / 10)}@${domains[1]}`,
    );
    const before = proxy.requests();
    const jobId = await uploadJob(owner, [...addresses, `grace.hopper@${domains[1]}`]);
    await startJob(owner, jobId);
    expect(await untilJobEnded(owner, jobId)).toMatchObject({ state: 'succeeded' });
    const asked = proxy.requests() - before;
    expect(asked).toBeGreaterThan(0);
    expect(asked).toBeLessThanOrEqual(2);
  });
});

describe('without enrichment', () => {
  it('the verdict is reached from the other sources', async () => {
    await proxy.close();
    expect(await judge('ada.lovelace')).toMatchObject({ result: 'catch_all', finding: 'no_answer' });
  });
});
