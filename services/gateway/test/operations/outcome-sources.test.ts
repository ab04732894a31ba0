import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { simulatedProviders } from '@mailproof/dev-house';
import {
  changeOutcomeSource,
  createOutcomeSource,
  deleteOutcomeSource,
  getOutcomeSource,
  limits,
  listOutcomeSources,
  outcomeSource,
  replaceOutcomeSourceUrl,
} from '@mailproof/shared-types';
import pg from 'pg';
import { openSharedHouse, type TestHouse } from '../house.ts';
import { describeOperation } from '../operation-suite.ts';
import { codeOf, outcomeSourcesIn, post, root } from '../outcome-sources-in.ts';

let test: TestHouse;
let house: ReturnType<typeof outcomeSourcesIn>;

beforeAll(async () => {
  test = await openSharedHouse();
  house = outcomeSourcesIn(test);
}, 120_000);

afterAll(() => test?.stop());

describeOperation(createOutcomeSource, {
  async success() {
    const owner = await house.signedIn();
    const { key } = simulatedProviders.sendgrid();
    const asked = { provider: 'sendgrid', verification_key: ` ${key} `, description: ' Newsletters ' };
    const answer = await owner.post(root, asked);
    expect(answer.status).toBe(201);
    const { sources: _, ...none } = { sources: 0, recorded: 0, repeated: 0, ignored: [], refused: [] };
    expect(createOutcomeSource.success.schema.parse(answer.body)).toMatchObject({
      ...none,
      provider: 'sendgrid',
      description: 'Newsletters',
      has_verification_key: true,
      previous_url_valid_until: null,
      subscribed_at: null,
      last_received_at: null,
      created_by: owner.userId,
      url: expect.stringMatching(/^https?:\/\/[^/]+\/inbound\/v1\/[\w-]{43}$/),
    });
    const sources = Array.from({ length: limits.outcomeSourcesMax }, () =>
      owner.post(root, { provider: 'postmark' }),
    );
    const codes = (await Promise.all(sources)).map(codeOf);
    expect(codes.filter(([status]) => status === 201)).toHaveLength(limits.outcomeSourcesMax - 1);
    expect(codes).toContainEqual([409, 'too_many_outcome_sources']);
  },
  async badInput() {
    const owner = await house.signedIn();
    for (const body of [
      {},
      { provider: 'other' },
      { provider: 'sendgrid' },
      { provider: 'sendgrid', verification_key: 'x' },
      { provider: 'amazon_ses', verification_key: 'arn:aws:sns:evil.example:123456789012:x' },
      { provider: 'mailgun', verification_key: '' },
      { provider: 'json', verification_key: 'whsec_c2hvcnQ=' },
      { provider: 'postmark', verification_key: 'password' },
      { provider: 'postmark', description: 'two\nlines' },
      { provider: 'postmark', url: 'https://a.example/' },
    ]) {
      expect(codeOf(await owner.post(root, body))).toEqual([400, 'invalid_request']);
    }
    const [missing] = [await owner.post(root, { provider: 'amazon_ses' })];
    expect(missing?.body['errors']).toEqual([
      { pointer: '/verification_key', detail: expect.stringContaining('SNS topic') },
    ]);
    expect((await owner.get(root)).body).toEqual({ sources: [] });
  },
  noCredentials: () => house.needsOwner(person => person.post(root, { provider: 'postmark' })),
  async anotherTenant() {
    const [owner, other] = [await house.signedIn(), await house.signedIn()];
    await house.sourceOf(owner);
    expect((await other.get(root)).body).toEqual({ sources: [] });
  },
});

describeOperation(listOutcomeSources, {
  async success() {
    const owner = await house.signedIn();
    const [first, second] = [await house.sourceOf(owner), await house.sourceOf(owner, 'dsn')];
    const { status, body } = await owner.get(root);
    expect(status).toBe(200);
    const listed = listOutcomeSources.success.schema.parse(body).sources;
    expect(listed.map(each => each.source_id)).toEqual([second.source_id, first.source_id]);
    expect(JSON.stringify(body)).not.toMatch(/inbound|whsec_/);
    const member = await test.member(owner);
    expect((await member.get(root)).body).toEqual(body);
  },
  badInput: async () => {
    const owner = await house.signedIn();
    expect(codeOf(await owner.get(`${root}?provider=json`))).toEqual([400, 'invalid_request']);
  },
  noCredentials: () => house.needsSession(person => person.get(root)),
  async anotherTenant() {
    const [owner, other] = [await house.signedIn(), await house.signedIn()];
    await house.sourceOf(owner);
    expect((await other.get(root)).body).toEqual({ sources: [] });
  },
});

describeOperation(getOutcomeSource, {
  async success() {
    const owner = await house.signedIn();
    const { at, url: _url, simulated: _provider, ...created } = await house.sourceOf(owner);
    const answer = await owner.get(at);
    expect([answer.status, outcomeSource.strict().parse(answer.body)]).toEqual([200, created]);
  },
  badInput: () => house.refusesIds((person, id) => person.get(`${root}/${id}`)),
  noCredentials: () => house.needsSession((person, id) => person.get(`${root}/${id}`)),
  anotherTenant: () => house.refusesOthers((person, id) => person.get(`${root}/${id}`)),
});

describeOperation(changeOutcomeSource, {
  async success() {
    const owner = await house.signedIn();
    const { at, url, simulated: provider } = await house.sourceOf(owner);
    const next = simulatedProviders.json();
    const changed = await owner.put(at, { verification_key: next.key, description: 'Replies' });
    expect(changed).toMatchObject({
      status: 200,
      body: { description: 'Replies', has_verification_key: true },
    });
    expect((await post(url, next.post({ outcomes: [] }))).status).toBe(200);
    expect(codeOf(await post(url, provider.post({ outcomes: [] })))).toEqual([
      401,
      'outcome_signature_not_valid',
    ]);
    expect((await owner.put(at, { description: null })).body).toMatchObject({ description: null });

    // A key that is optional can be removed.
    const open = await house.sourceOf(owner, 'postmark');
    const bare = { headers: { 'content-type': 'application/json' }, body: '{}' };
    expect(codeOf(await post(open.url, bare))).toEqual([401, 'outcome_signature_not_valid']);
    expect((await owner.put(open.at, { verification_key: null })).body['has_verification_key']).toBe(false);
    expect((await post(open.url, bare)).status).toBe(200);
  },
  async badInput() {
    await house.refusesIds((person, id) => person.put(`${root}/${id}`, { description: 'x' }));
    const owner = await house.signedIn();
    const { at } = await house.sourceOf(owner);
    for (const body of [
      { verification_key: null },
      { verification_key: 'x' },
      { description: '' },
      { provider: 'dsn' },
    ]) {
      expect(codeOf(await owner.put(at, body))).toEqual([400, 'invalid_request']);
    }
  },
  noCredentials: () => house.needsOwner((person, id) => person.put(`${root}/${id}`, { description: 'x' })),
  anotherTenant: () => house.refusesOthers((person, id) => person.put(`${root}/${id}`, { description: 'x' })),
});

describeOperation(replaceOutcomeSourceUrl, {
  /** The previous URL works for a time, and a second replacement drops it at once. */
  async success() {
    const owner = await house.signedIn();
    const { at, url, simulated: provider } = await house.sourceOf(owner);
    const statusAt = async (where: string) => (await post(where, provider.post({ outcomes: [] }))).status;
    const replace = async () => {
      const replaced = await owner.post(`${at}/url`, undefined);
      const answer = replaceOutcomeSourceUrl.success.schema.parse(replaced.body);
      return { ...answer, url: house.reachable(answer.url) };
    };
    const second = await replace();
    expect(Date.parse(second.previous_url_valid_until ?? '') - Date.now()).toBeGreaterThan(
      limits.outcomeSourceOverlapMs - 60_000,
    );
    expect([await statusAt(url), await statusAt(second.url)]).toEqual([200, 200]);
    const third = await replace();
    expect([await statusAt(url), await statusAt(second.url), await statusAt(third.url)]).toEqual([
      404, 200, 200,
    ]);
  },
  badInput: () => house.refusesIds((person, id) => person.post(`${root}/${id}/url`, undefined)),
  noCredentials: () => house.needsOwner((person, id) => person.post(`${root}/${id}/url`, undefined)),
  anotherTenant: () => house.refusesOthers((person, id) => person.post(`${root}/${id}/url`, undefined)),
});

describeOperation(deleteOutcomeSource, {
  async success() {
    const owner = await house.signedIn();
    const { at, url, simulated: provider } = await house.sourceOf(owner);
    expect(await owner.delete(at)).toMatchObject({ status: 200, body: { deleted: true } });
    expect(codeOf(await owner.get(at))).toEqual([404, 'outcome_source_not_found']);
    expect(codeOf(await post(url, provider.post({ outcomes: [] })))).toEqual([
      404,
      'outcome_source_not_found',
    ]);
  },
  badInput: () => house.refusesIds((person, id) => person.delete(`${root}/${id}`)),
  noCredentials: () => house.needsOwner((person, id) => person.delete(`${root}/${id}`)),
  anotherTenant: () => house.refusesOthers((person, id) => person.delete(`${root}/${id}`)),
});

describe('the database', () => {
  it('has the URL only hashed and the verification key only sealed', async () => {
    const owner = await house.signedIn();
    const source = await house.sourceOf(owner, 'mailgun');
    const client = new pg.Client({
      connectionString: test.house.databaseUrls['dispatcher']?.migrationDatabaseUrl,
    });
    await client.connect();
    const which = 'WHERE source_id = $1';
    const { rows } = await client.query(
      `SELECT *, encode(token_hash, 'escape') AS escaped FROM dispatcher.outcome_source ${which}`,
      [source.source_id],
    );
    expect(rows).toHaveLength(1);
    const stored = JSON.stringify(rows);
    expect(stored).not.toContain(source.simulated.key);
    expect(stored).not.toContain(source.url.split('/').at(-1));

    // As if the key that sealed it were gone: requests are refused until it is entered again.
    await client.query(`UPDATE dispatcher.outcome_source SET sealed_key = 'x' ${which}`, [source.source_id]);
    await client.end();
    const event = { event: 'delivered', recipient: 'ada@a.example', timestamp: Date.now() / 1_000 };
    const send = () => post(source.url, source.simulated.post(event));
    expect(codeOf(await send())).toEqual([401, 'outcome_signature_not_valid']);
    expect((await house.find(owner, source.at)).refused).toMatchObject([
      { reason: 'key_not_readable', count: 1 },
    ]);
    await owner.put(source.at, { verification_key: source.simulated.key });
    expect(await send()).toMatchObject({ status: 200, body: { recorded: 1 } });
  });
});
