import { afterAll, beforeAll, expect } from '@jest/globals';
import {
  compareValidationJobs,
  downloadChangedAddresses,
  listChangedAddresses,
  newId,
  validationJobComparison,
} from '@mailproof/shared-types';
import pg from 'pg';
import { openSharedHouse, type Person, type TestHouse } from '../house.ts';
import { uploadJob } from '../job-house.ts';
import { describeOperation } from '../operation-suite.ts';

let test: TestHouse;
let engine: pg.Pool;

beforeAll(async () => {
  test = await openSharedHouse();
  engine = new pg.Pool({
    connectionString: test.house.databaseUrls['validation']?.databaseUrl ?? '',
    options: '-c search_path=validation',
  });
}, 120_000);

afterAll(async () => {
  await engine?.end();
  await test?.stop();
});

const newOwner = async () => (await test.owner()).signIn();

/** Uploads addresses, and stores their results like a validation that has ended; null is no result. */
async function jobWith(owner: Person, results: Readonly<Record<string, string | null>>): Promise<string> {
  const jobId = await uploadJob(owner, Object.keys(results));
  for (const [email, result] of Object.entries(results)) {
    if (result === null) continue;
    const { rowCount } = await engine.query(
      `UPDATE validation_job_address SET state = 'done', result = $3, reason = 'because_' || $3,
         checked_at = '2026-03-01T10:00:00Z'
       WHERE email = $2 AND job_no = (SELECT job_no FROM validation_job WHERE job_id = $1)`,
      [jobId, email, result],
    );
    expect(rowCount).toBe(1);
  }
  return jobId;
}

/** Two jobs of an owner: the earlier one, and the later one, in which five addresses have other results. */
async function twoJobs(owner: Person): Promise<{ path: string; earlier: string; later: string }> {
  const [earlier, later] = [
    await jobWith(owner, {
      'ada@a.example': 'ok',
      'bob@a.example': 'ok',
      'cleo@a.example': 'unknown',
      'dan@a.example': 'unknown',
      '=1+1@a.example': 'unknown',
      'eve@a.example': 'catch_all',
      'gone@a.example': 'ok',
      'open@a.example': null,
    }),
    await jobWith(owner, {
      'new@a.example': 'ok',
      'ADA@a.example': 'invalid',
      'bob@a.example': 'ok',
      'cleo@a.example': 'ok',
      'dan@a.example': 'ok',
      '=1+1@a.example': 'ok',
      'eve@a.example': 'catch_all_validated',
      'open@a.example': 'ok',
    }),
  ];
  return { path: `/validation-jobs/${later}/comparison`, earlier, later };
}

async function refusesBadInput(suffix: string): Promise<void> {
  const owner = await newOwner();
  const { path, later } = await twoJobs(owner);
  for (const query of ['', '?earlier_job_id=x', `?earlier_job_id=${later}&more=1`]) {
    expect((await owner.get(`${path}${suffix}${query}`)).body['code']).toBe('invalid_request');
  }
  const gone = await owner.get(`${path}${suffix}?earlier_job_id=${newId('validationJob')}`);
  expect([gone.status, gone.body['code']]).toEqual([404, 'job_not_found']);
}

async function refusesStrangers(suffix: string): Promise<void> {
  const path = `/validation-jobs/${newId('validationJob')}/comparison${suffix}`;
  expect((await test.stranger().get(`${path}?earlier_job_id=${newId('validationJob')}`)).status).toBe(401);
}

/** Neither job may be of another account. */
async function refusesOtherTenants(suffix: string): Promise<void> {
  const [one, other] = [await newOwner(), await newOwner()];
  const [mine, theirs] = [await twoJobs(one), await twoJobs(other)];
  const pairs = [
    [mine.later, mine.earlier],
    [theirs.later, mine.earlier],
    [mine.later, theirs.earlier],
  ];
  for (const [later, earlier] of pairs) {
    const answer = await other.get(`/validation-jobs/${later}/comparison${suffix}?earlier_job_id=${earlier}`);
    expect([answer.status, answer.body['code']]).toEqual([404, 'job_not_found']);
  }
}

describeOperation(compareValidationJobs, {
  async success() {
    const owner = await newOwner();
    const { path, earlier, later } = await twoJobs(owner);
    const answer = await owner.get(`${path}?earlier_job_id=${earlier}`);
    expect(validationJobComparison.parse(answer.body)).toEqual({
      job_id: later,
      earlier_job_id: earlier,
      changed: 5,
      same: 1,
      open: 1,
      added: 1,
      removed: 1,
      changes: [
        { from: 'unknown', to: 'ok', addresses: 3 },
        { from: 'catch_all', to: 'catch_all_validated', addresses: 1 },
        { from: 'ok', to: 'invalid', addresses: 1 },
      ],
    });
    expect(
      (await owner.get(`/validation-jobs/${earlier}/comparison?earlier_job_id=${later}`)).body,
    ).toMatchObject({
      changed: 5,
      changes: [{ from: 'ok', to: 'unknown', addresses: 3 }, {}, {}],
    });
    expect((await owner.get(`${path}?earlier_job_id=${later}`)).body).toMatchObject({
      changed: 0,
      same: 8,
      open: 0,
    });
  },
  badInput: () => refusesBadInput(''),
  noCredentials: () => refusesStrangers(''),
  anotherTenant: () => refusesOtherTenants(''),
});

describeOperation(listChangedAddresses, {
  async success() {
    const owner = await newOwner();
    const { path, earlier } = await twoJobs(owner);
    const emails: string[] = [];
    let cursor = '';
    do {
      const { body } = await owner.get(`${path}/addresses?earlier_job_id=${earlier}&limit=2${cursor}`);
      const page = listChangedAddresses.success.schema.parse(body);
      emails.push(...page.addresses.map(({ email }) => email));
      cursor = page.next_cursor === undefined ? '' : `&cursor=${encodeURIComponent(page.next_cursor)}`;
    } while (cursor !== '');
    expect(emails).toEqual([
      'ADA@a.example',
      'cleo@a.example',
      'dan@a.example',
      '=1+1@a.example',
      'eve@a.example',
    ]);
    const some = await owner.get(`${path}/addresses?earlier_job_id=${earlier}&from=ok&to=invalid`);
    const at = '2026-03-01T10:00:00.000Z';
    expect(some.body).toEqual({
      addresses: [
        {
          email: 'ADA@a.example',
          from: { result: 'ok', reason: 'because_ok', validated_at: at },
          to: { result: 'invalid', reason: 'because_invalid', validated_at: at },
        },
      ],
    });
    const bad = await owner.get(`${path}/addresses?earlier_job_id=${earlier}&cursor=x`);
    expect([bad.status, bad.body['code']]).toEqual([400, 'invalid_cursor']);
  },
  badInput: () => refusesBadInput('/addresses'),
  noCredentials: () => refusesStrangers('/addresses'),
  anotherTenant: () => refusesOtherTenants('/addresses'),
});

describeOperation(downloadChangedAddresses, {
  async success() {
    const owner = await newOwner();
    const { path, earlier } = await twoJobs(owner);
    const response = await fetch(
      `${test.house.gatewayUrls[0]}/app/v1${path}/addresses.csv?earlier_job_id=${earlier}&from=unknown`,
      { headers: { cookie: [...owner.cookies].map(([name, value]) => `${name}=${value}`).join('; ') } },
    );
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^text\/csv/),
    ]);
    expect(response.headers.get('content-disposition')).toContain('changed-addresses.csv');
    const at = '2026-03-01T10:00:00.000Z';
    const line = (email: string) => `${email},unknown,because_unknown,${at},ok,because_ok,${at}`;
    expect((await response.text()).split('\r\n')).toEqual([
      'email,previous_result,previous_reason,previous_validated_at,result,reason,validated_at',
      line('cleo@a.example'),
      line('dan@a.example'),
      line("'=1+1@a.example"),
      '',
    ]);
  },
  badInput: () => refusesBadInput('/addresses.csv'),
  noCredentials: () => refusesStrangers('/addresses.csv'),
  anotherTenant: () => refusesOtherTenants('/addresses.csv'),
});
