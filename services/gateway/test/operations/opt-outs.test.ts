import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnOperatorCommand } from '@mailproof/dev-house';
import { confirmOptOut, requestOptOut } from '@mailproof/shared-types';
import pg from 'pg';
import { openSharedHouse, type TestHouse } from '../house.ts';
import { describeOperation } from '../operation-suite.ts';
import { until } from '../until.ts';

let test: TestHouse;
let folder: string;
let gateway: pg.Pool;
let enrichment: pg.Pool;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailproof-opt-outs-'));
  test = await openSharedHouse();
  const { databaseUrls } = test.house;
  gateway = new pg.Pool({ connectionString: databaseUrls['gateway']?.migrationDatabaseUrl ?? '' });
  enrichment = new pg.Pool({ connectionString: databaseUrls['enrichment']?.migrationDatabaseUrl ?? '' });
});

afterAll(async () => {
  await Promise.all([gateway?.end(), enrichment?.end()]);
  await test?.stop();
  await rm(folder, { recursive: true, force: true });
});

const address = () => test.stranger().email;
const ask = (profileUrl: string, email = address()) =>
  test.stranger().post('/opt-outs', { profile_url: profileUrl, email });
const confirm = (token: string) => test.stranger().post('/opt-outs/confirmation', { token });

async function tokenFor(profileUrl: string): Promise<string> {
  const email = address();
  expect((await ask(profileUrl, email)).status).toBe(202);
  return (await test.mail(email)).token;
}

/** Runs an operator command on this house's profile store. */
async function ops(...args: string[]): Promise<Record<string, unknown>> {
  const { PATH = '' } = process.env;
  const environment = { ...test.house.environments.enrichment, PATH };
  const child = spawnOperatorCommand([...args, '--json'], environment, ['ignore', 'pipe', 'pipe']);
  const [output, complaint] = await Promise.all([
    child.stdout ? text(child.stdout) : '',
    child.stderr ? text(child.stderr) : '',
    once(child, 'exit'),
  ]);
  if (output === '') throw new Error(complaint);
  return JSON.parse(output) as Record<string, unknown>;
}

/** Loads one person from a file; a different day makes it a different load. */
async function load(slug: string, day: string): Promise<Record<string, unknown>> {
  const file = join(folder, `${slug}-${day}.csv`);
  await writeFile(
    file,
    `profile_url,full_name,job_title,company_domain\nhttps://www.linkedin.com/in/${slug},Ada Lovelace,Analyst,${slug}.test\n`,
  );
  return ops('import', 'people', file, '--source', 'Test', '--licence', 'CC0-1.0', '--date', day);
}

const keptOf = (slug: string) => ops('subjects', 'show', `linkedin.com/in/${slug}`);

describeOperation(requestOptOut, {
  async success() {
    const email = address();
    const answer = await ask('https://de.linkedin.com/in/Ask-Success/?utm_source=x', email);
    expect(answer.status).toBe(202);
    expect(requestOptOut.success.schema.parse(answer.body)).toEqual({ sent_to: email });
    const mail = await test.mail(email);
    expect(mail.text).toMatch(/\/confirm#token=mp_link_[0-9a-f]{96}&for=opt_out\n/);
    // A stranger must not be able to make us send their text to anyone.
    expect(mail.text + mail.html).not.toMatch(/ask-success/i);
  },
  async badInput() {
    for (const [body, status, code] of [
      [{ profile_url: 'linkedin.com/in/ada', email: 'no address' }, 400, 'invalid_email_address'],
      [{ profile_url: 'not a url', email: address() }, 400, 'invalid_profile_url'],
      [{ profile_url: 'http://127.0.0.1/in/ada', email: address() }, 400, 'invalid_profile_url'],
      [{ profile_url: 'x'.repeat(3_000), email: address() }, 400, 'invalid_request'],
      [{ profile_url: '', email: address() }, 400, 'invalid_request'],
      [{ email: address() }, 400, 'invalid_request'],
      [{ profile_url: 'linkedin.com/company/acme', email: address() }, 422, 'profile_of_an_organisation'],
    ] as const) {
      expect(await test.stranger().post('/opt-outs', body)).toMatchObject({ status, body: { code } });
    }
  },
  noCredentials: { cannotHappen: 'A person who opts out needs no account.' },
  async anotherTenant() {
    // The answer does not reveal who is known.
    await load('known', '2026-01-01');
    const email = address();
    const known = await ask('linkedin.com/in/known', email);
    const unknown = await ask('linkedin.com/in/unknown-to-all', email);
    expect({ status: known.status, body: known.body }).toEqual({
      status: unknown.status,
      body: unknown.body,
    });
    expect([...known.headers.keys()]).toEqual([...unknown.headers.keys()]);
    expect(await keptOf('known')).not.toBeNull();
  },
});

describeOperation(confirmOptOut, {
  async success() {
    await load('success', '2026-01-01');
    const token = await tokenFor('https://www.linkedin.com/in/success/');
    expect(await keptOf('success')).toMatchObject({ profileUrl: 'https://www.linkedin.com/in/success' });
    const { status, body } = await confirm(token);
    expect(status).toBe(200);
    expect(confirmOptOut.success.schema.parse(body)).toEqual({ done: true });
    expect(await keptOf('success')).toBeNull();
    expect(await load('success', '2026-01-02')).toMatchObject({ added: 0, refused: { suppressed: 1 } });
    expect(await confirm(token)).toMatchObject({ status: 410, body: { code: 'link_not_valid' } });
  },
  async badInput() {
    const signUp = test.stranger();
    await signUp.post('/sign-ups', { email: signUp.email, name: 'Ordinary' });
    const otherPurpose = (await test.mail(signUp.email)).token;
    for (const token of ['x', 'mp_link_', `mp_link_${'0'.repeat(96)}`, otherPurpose]) {
      expect(await confirm(token)).toMatchObject({ status: 410, body: { code: 'link_not_valid' } });
    }
    expect((await test.stranger().post('/opt-outs/confirmation', {})).body['code']).toBe('invalid_request');
  },
  noCredentials: { cannotHappen: 'The link of the mail is the credential, and bad input shows its refusal.' },
  async anotherTenant() {
    // The answer is the same for any person, known or not.
    const [known, unknown] = [
      await tokenFor('linkedin.com/in/tenant-a'),
      await tokenFor('linkedin.com/in/tenant-b'),
    ];
    await load('tenant-a', '2026-01-01');
    const answers = [await confirm(known), await confirm(unknown)];
    expect(answers.map(({ status, body }) => ({ status, body }))).toEqual([
      { status: 200, body: { done: true } },
      { status: 200, body: { done: true } },
    ]);
    expect(await load('tenant-b', '2026-01-01')).toMatchObject({ added: 0, refused: { suppressed: 1 } });
  },
});

describe('an opt-out', () => {
  it('keeps neither the address after its mail was sent, nor the profile after it was confirmed', async () => {
    const email = address();
    await ask('linkedin.com/in/forgotten', email);
    const { token } = await test.mail(email);
    const left = async () =>
      JSON.stringify(
        (
          await gateway.query(
            `SELECT to_json(l)::text AS row FROM gateway.one_time_link l UNION ALL
             SELECT to_json(m)::text FROM gateway.mail m UNION ALL SELECT to_json(o)::text FROM gateway.outbox o`,
          )
        ).rows,
      );
    // The mail's row is deleted once the mail is handed over, a moment after it arrives.
    const withoutMail = await until('the end of the mail', left, rows => !rows.includes(email));
    expect(withoutMail).toContain('linkedin.com/in/forgotten');
    expect((await confirm(token)).status).toBe(200);
    expect(await left()).not.toContain('forgotten');
  });

  it('is recorded without naming a person', async () => {
    const token = await tokenFor('linkedin.com/in/written-down');
    await load('written-down', '2026-01-01');
    await confirm(token);
    const { rows } = await enrichment.query(
      'SELECT kind, actor, people, to_json(e)::text AS row FROM enrichment.privacy_event e ORDER BY privacy_event_id DESC LIMIT 1',
    );
    expect(rows[0]).toMatchObject({ kind: 'suppressed', actor: 'opt_out', people: 1 });
    expect(rows[0].row).not.toMatch(/written|ada|lovelace/i);
  });
});
