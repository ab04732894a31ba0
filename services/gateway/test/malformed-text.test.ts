import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CrmHouse, openCrmHouse } from './crm-house.ts';
import type { Answer, Customer, Person } from './house.ts';
import { beginImport, seedContacts, untilImportEnded } from './imported-records.ts';
import { startJob, untilJobEnded } from './job-house.ts';
import { until } from './until.ts';

/*
 * Every operation refuses text that was corrupted in transit or contains invisible characters, free of charge (ADR
 * 0056). Each account ends with one charged validation, which ensures that no other charge is in flight.
 */

let crms: CrmHouse;

beforeAll(async () => {
  crms = await openCrmHouse();
}, 120_000);

afterAll(async () => {
  await crms?.stop();
});

const octets = (text: string) => Buffer.from(text, 'latin1');
const malformedEmails = [
  octets('{"email":"ada\xff@ordinary.example"}'),
  octets('{"email":"ada\xc3@ordinary.example"}'),
  octets('{"email":"ren\xe9e@ordinary.example"}'),
  '{"email":"ada\\ud800@ordinary.example"}',
  '{"email":"ada\\u0000@ordinary.example"}',
  ...[
    'ada\ufffd',
    'ad\u200ba',
    'ad\u00ada',
    'ad\u2060a',
    'ad\u00a0a',
    'ad\u202ea',
    'ad\u2066a',
    'ad\ue000a',
  ].map(name => JSON.stringify({ email: `${name}@ordinary.example` })),
  ...[
    'ordi\u200bnary.example',
    'ordinary\u00ad.example',
    'ordi\u0378nary.example',
    'ordinary\ufffd.example',
  ].map(domain => JSON.stringify({ email: `ada@${domain}` })),
];

/** Spoilt addresses as cells of a list: each row is refused. */
const spoiltCells = [
  'ad\u200ba@ordinary.example',
  'ada\ufffd@ordinary.example',
  'ada@ordi\u00adnary.example',
];

interface Account {
  readonly api: Customer;
  readonly owner: Person;
}

async function account(): Promise<Account> {
  const api = await crms.test.open({ credits: 100, requestsPerSecond: 1_000 });
  return { api, owner: await (await crms.test.owner({ accountId: api.accountId })).signIn() };
}

/** Waits until exactly one validation more than `spent` has been charged. */
async function expectSpent({ api }: Account, spent: number): Promise<void> {
  expect((await api.validate('grace@ordinary.example')).status).toBe(200);
  await until(
    'the charge',
    () => api.credits(),
    credits => credits <= 99 - spent,
  );
  expect(await api.credits()).toBe(99 - spent);
}

const refusal = ({ status, body }: Answer) => [status, body['code'], body['detail']];

describe('spoilt and invisible text', () => {
  it.each(['by key', 'by session'])('in a single validation %s is refused and free', async how => {
    const accountOf = await account();
    const { api, owner } = accountOf;
    for (const body of malformedEmails) {
      const headers = { 'content-type': 'application/json' };
      const answer =
        how === 'by key'
          ? await api.send('/validate-single-email', { method: 'POST', headers, body })
          : await owner.send('/address-checks', { method: 'POST', headers, body });
      expect(refusal(answer)).toEqual([
        400,
        expect.stringMatching(/^invalid_(?:request|email_address)$/),
        expect.stringMatching(/UTF-8|U\+|surrogate/),
      ]);
    }
    // Invisible characters at the ends are trimmed, and the answer echoes the trimmed address.
    expect((await api.validate('\u200bgrace@ordinary.example\u2069')).body).toMatchObject({
      email: 'grace@ordinary.example',
      credits_consumed: true,
    });
    await until(
      'the first charge',
      () => api.credits(),
      credits => credits === 99,
    );
    await expectSpent(accountOf, 1);
  });

  it('in another spelling of the same letters is the same request under an idempotency key', async () => {
    const accountOf = await account();
    const headers = { 'idempotency-key': 'spelt twice' };
    const answers = [];
    for (const email of ['jo\u0308rg@ordinary.example', 'j\u00f6rg@ordinary.example']) {
      answers.push(await accountOf.api.post('/validate-single-email', JSON.stringify({ email }), headers));
    }
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[1]?.body).toEqual(answers[0]?.body);
  });

  it('in profile enrichment is refused and free', async () => {
    const accountOf = await account();
    for (const body of [
      octets('{"profile_url":"https://www.linkedin.com/in/ren\xe9e"}'),
      '{"profile_url":"https://www.linkedin.com/in/a\\ud800"}',
    ]) {
      const answer = await accountOf.api.send('/profile-enrichment', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      expect(answer.status).toBe(400);
    }
    await accountOf.api.post(
      '/profile-enrichment',
      JSON.stringify({ profile_url: 'https://www.linkedin.com/in/a\u200bda' }),
    );
    await expectSpent(accountOf, 0);
  });

  it.each([
    ['pasted', '/validation-jobs/pasted', 'text/plain', octets('ada@a.example\nada\xff@a.example\n')],
    [
      'pasted and cut off',
      '/validation-jobs/pasted',
      'text/plain',
      octets('ada@a.example\nada@a.example\xc3'),
    ],
    [
      'of a file that says UTF-8',
      '/validation-jobs?encoding=utf-8',
      'text/csv',
      octets('email\nada\xff@a.example\n'),
    ],
    [
      'of a file with a mark',
      '/validation-jobs',
      'text/csv',
      octets('\xef\xbb\xbfemail\nada\xff@a.example\n'),
    ],
  ])('in a list %s is refused as a whole and leaves nothing', async (_what, path, type, body) => {
    const accountOf = await account();
    const answer = await accountOf.owner.send(path, {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    });
    expect(refusal(answer)).toEqual([
      422,
      'file_not_readable',
      expect.stringMatching(/not UTF-8 from about line/),
    ]);
    expect((await accountOf.owner.get('/validation-jobs')).body['jobs']).toEqual([]);
    await expectSpent(accountOf, 0);
  });

  it.each([
    ['pasted', '/validation-jobs/pasted', 'text/plain', [...spoiltCells, 'ada@ordinary.example'].join('\n')],
    [
      'of a file',
      '/validation-jobs',
      'text/csv',
      ['email', ...spoiltCells, 'ada@ordinary.example'].join('\n'),
    ],
    [
      'of a file whose encoding is a guess',
      '/validation-jobs',
      'text/csv',
      octets(
        'email\nada\xff@ordinary.example\nj\xc3\xb6rg@ordinary.example\nada@b\xfccher.example\nada@ordinary.example',
      ),
    ],
  ])('in rows of a list %s is kept as invalid and free', async (_what, path, type, body) => {
    const accountOf = await account();
    const { owner } = accountOf;
    const taken = await owner.send(path, { method: 'POST', headers: { 'content-type': type }, body });
    expect(taken.body).toMatchObject({ addresses: 1, cost_max: 1, rows: { total: 4, valid: 1, broken: 3 } });
    const jobId = String(taken.body['job_id']);
    await startJob(owner, jobId);
    expect(await untilJobEnded(owner, jobId)).toMatchObject({ state: 'succeeded', spent: 1 });
    const { rows } = (await owner.get(`/validation-jobs/${jobId}/rows?kind=broken`)).body as {
      rows: { email: string | null; verdict: Record<string, unknown> | null }[];
    };
    expect(rows.map(({ email, verdict }) => [email, verdict?.['result'], verdict?.['reason']])).toEqual(
      Array.from({ length: 3 }, () => [null, 'invalid', 'syntax']),
    );
    await expectSpent(accountOf, 1);
  });

  it('in records of a CRM is kept as invalid and free', async () => {
    const accountOf = await account();
    const { owner } = accountOf;
    const { connection_id } = await crms.connect(owner, 'hubspot');
    const cells = [...spoiltCells, '\u200bada@ordinary.example'];
    const { segmentId } = seedContacts(crms.hubspot, cells.length, index => ({
      firstname: cells[index] ?? '',
    }));
    const importId = await beginImport(owner, {
      object: 'contact',
      properties: ['email', 'firstname'],
      address_property: 'firstname',
      connection_id,
      selection: { segment_id: segmentId },
    });
    const { job_id } = await untilImportEnded(owner, importId);
    const job = (await owner.get(`/validation-jobs/${job_id}`)).body;
    expect(job).toMatchObject({ addresses: 1, cost_max: 1, rows: { total: 4, valid: 1, broken: 3 } });
    await startJob(owner, String(job_id));
    expect(await untilJobEnded(owner, String(job_id))).toMatchObject({ state: 'succeeded', spent: 1 });
    await expectSpent(accountOf, 1);
  });

  it.each(['by key', 'by session'])(
    'in outcomes uploaded %s is refused, and no address is recorded',
    async how => {
      const accountOf = await account();
      const upload = (body: Buffer | string) => {
        const init = { method: 'POST', headers: { 'content-type': 'text/csv' }, body };
        return how === 'by key'
          ? accountOf.api.send('/outcomes', init)
          : accountOf.owner.send('/outcomes', init);
      };
      expect(refusal(await upload(octets('email,outcome\nada\xff@a.example,delivered\n')))).toEqual([
        400,
        'invalid_request',
        expect.stringContaining('not valid UTF-8 near line 2'),
      ]);
      const rows = spoiltCells.map(cell => `${cell},delivered`);
      expect((await upload(['email,outcome', ...rows].join('\n'))).body).toMatchObject({
        rows: 3,
        recorded: 0,
        refused: 3,
        refusals: [2, 3, 4].map(line => ({ line, reason: 'invalid_email_address' })),
      });
    },
  );
});
