import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  cancelDiscoveryRun,
  discoveryRun,
  followDiscoveryRun,
  getDiscoveryRun,
  limits,
  listDiscoveryRuns,
  newId,
  startDiscoveryRun,
} from '@mailproof/shared-types';
import { findingPeople, openTestHouse, type Person, type TestHouse } from '../house.ts';
import { describeOperation } from '../operation-suite.ts';
import {
  openPeopleHouse,
  ownerWith,
  type PeopleHouse,
  type PeopleStore,
  untilRunEnded,
} from '../people-store.ts';

const people = 1_200;

let opened: PeopleHouse;
let test: TestHouse;
let store: PeopleStore;
let domain: string;

beforeAll(async () => {
  const house = openTestHouse({
    only: findingPeople,
    replicas: { gateway: 2, enrichment: 2 },
    env: { gateway: { AUTH_FAILURES_PER_MINUTE_MAX: '10000', SESSION_REQUESTS_PER_SECOND_MAX: '1000' } },
  });
  opened = await openPeopleHouse(people, house);
  ({ test, store, domain } = opened);
});

afterAll(() => opened?.stop());

const stranger = () => test.stranger();
const newOwner = (credits = 0) => ownerWith(test, credits);

async function searchOf(person: Person, filters: object = { company_domains: [domain] }): Promise<string> {
  const { status, body } = await person.post('/people-searches', { name: 'A search', filters });
  expect([status, body['code']]).toEqual([201, undefined]);
  return String(body['search_id']);
}

async function start(person: Person, searchId: string, body: object, headers: Record<string, string> = {}) {
  const answer = await person.post(`/people-searches/${searchId}/runs`, body, headers);
  expect([answer.status, answer.body['code']]).toEqual([202, undefined]);
  return discoveryRun.parse(answer.body);
}

const balanceOf = async (person: Person) => {
  const { available, held } = (await person.get('/balance')).body;
  return { available, held };
};

async function savedBy(runId: string): Promise<number> {
  const { rows } = await store.pool.query(
    'SELECT count(*)::int AS saved FROM saved_person WHERE run_id = $1',
    [runId],
  );
  return rows[0].saved;
}

describeOperation(startDiscoveryRun, {
  async success() {
    const owner = await newOwner(2_000);
    const searchId = await searchOf(owner);
    const run = await start(owner, searchId, { people: 700 });
    expect(run).toMatchObject({
      search_id: searchId,
      kind: 'people',
      state: 'queued',
      requested: 700,
      reserved: 700,
      receipt_id: run.run_id,
      created_by: owner.userId,
      spent: null,
    });
    expect(await untilRunEnded(owner, run.run_id)).toMatchObject({
      state: 'succeeded',
      delivered: 700,
      progress: 1,
      spent: 700,
      returned: 0,
      has_more: true,
      failure: null,
    });
    expect(await savedBy(run.run_id)).toBe(700);
    expect(await balanceOf(owner)).toEqual({ available: 1_300, held: 0 });
    expect((await owner.get(`/receipts/${run.run_id}`)).body).toMatchObject({
      operation: 'start-discovery-run',
      state: 'settled',
      reserved: 700,
      spent: 700,
      returned: 0,
    });
    const search = (await owner.get(`/people-searches/${searchId}`)).body;
    expect(search).toMatchObject({
      state: 'locked',
      has_more: true,
      last_attempt_failed: false,
      estimate: { matching: people, already_saved: 700, deliverable: 500 },
    });
    // The remaining people, without those already saved.
    const rest = await start(owner, searchId, { people: 'all' });
    expect(rest.requested).toBe(500);
    expect(await untilRunEnded(owner, rest.run_id)).toMatchObject({ spent: 500, has_more: false });
    const none = await owner.post(`/people-searches/${searchId}/runs`, { people: 'all' });
    expect([none.status, none.body['code']]).toEqual([409, 'nothing_to_deliver']);
    expect(await balanceOf(owner)).toEqual({ available: 800, held: 0 });
  },
  async badInput() {
    const owner = await newOwner(10);
    const searchId = await searchOf(owner);
    const path = `/people-searches/${searchId}/runs`;
    for (const count of [0, 1.5, limits.peoplePerRunMax + 1, 'some']) {
      expect((await owner.post(path, { people: count })).body['code']).toBe('invalid_request');
    }
    expect(await owner.post(path, { people: 11 })).toMatchObject({
      status: 402,
      body: { code: 'credits_exhausted', required: 11, available: 10 },
    });
    expect(await owner.post(path, { people: 1, list_id: newId('savedList') })).toMatchObject({
      status: 404,
      body: { code: 'saved_list_not_found' },
    });
    for (const key of ['', 'k'.repeat(256), 'schl\u00fcssel']) {
      const refused = await owner.post(path, { people: 1 }, { 'idempotency-key': key });
      expect([refused.status, refused.body['code']]).toEqual([400, 'invalid_request']);
    }
    const gone = await owner.post(`/people-searches/${newId('discoverySearch')}/runs`, { people: 1 });
    expect([gone.status, gone.body['code']]).toEqual([404, 'search_not_found']);
    expect(await balanceOf(owner)).toEqual({ available: 10, held: 0 });
    expect((await owner.get(`/people-searches/${searchId}`)).body['state']).toBe('preview');
  },
  async noCredentials() {
    const answer = await stranger().post(`/people-searches/${newId('discoverySearch')}/runs`, { people: 1 });
    expect([answer.status, answer.body['code']]).toEqual([401, 'not_signed_in']);
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(10), await newOwner(10)];
    const searchId = await searchOf(one);
    const answer = await other.post(`/people-searches/${searchId}/runs`, { people: 1 });
    expect([answer.status, answer.body['code']]).toEqual([404, 'search_not_found']);
    const list = await other.post('/saved-lists', { kind: 'people', name: 'Theirs' });
    const theirs = await one.post(`/people-searches/${searchId}/runs`, {
      people: 1,
      list_id: list.body['list_id'],
    });
    expect([theirs.status, theirs.body['code']]).toEqual([404, 'saved_list_not_found']);
    expect([await balanceOf(one), await balanceOf(other)]).toEqual(Array(2).fill({ available: 10, held: 0 }));
  },
});

describe('a run', () => {
  it('is the same one under the same Idempotency-Key, and another request under it is refused', async () => {
    const owner = await newOwner(100);
    const searchId = await searchOf(owner);
    const headers = { 'idempotency-key': newId('request') };
    const runs = await Promise.all(
      Array.from({ length: 5 }, () => start(owner, searchId, { people: 30 }, headers)),
    );
    expect(new Set(runs.map(({ run_id }) => run_id)).size).toBe(1);
    await untilRunEnded(owner, runs[0]?.run_id ?? '');
    const again = await start(owner, searchId, { people: 30 }, headers);
    expect(again).toMatchObject({ run_id: runs[0]?.run_id, state: 'succeeded' });
    const other = await owner.post(`/people-searches/${searchId}/runs`, { people: 31 }, headers);
    expect([other.status, other.body['code']]).toEqual([422, 'idempotency_key_reused']);
    expect(await balanceOf(owner)).toEqual({ available: 70, held: 0 });
  });

  it('is the only active run of its search, and one of five of its account', async () => {
    const owner = await newOwner(10_000);
    const searches = await Promise.all(
      ['DE', 'FR'].flatMap(country =>
        ['sales', 'engineering', 'finance'].map(department =>
          searchOf(owner, { company_domains: [domain], countries: [country], departments: [department] }),
        ),
      ),
    );
    const [first = ''] = searches;
    const twice = await Promise.all(
      [1, 2].map(() => owner.post(`/people-searches/${first}/runs`, { people: 'all' })),
    );
    expect(twice.map(({ status }) => status).sort()).toEqual([202, 409]);
    expect(twice.find(({ status }) => status === 409)?.body['code']).toBe('run_active');
    const all = await Promise.all(
      searches.slice(1).map(searchId => owner.post(`/people-searches/${searchId}/runs`, { people: 'all' })),
    );
    const started = [...twice, ...all].filter(({ status }) => status === 202);
    const refused = all.filter(({ status }) => status !== 202);
    expect(refused.every(({ body }) => body['code'] === 'too_many_runs')).toBe(true);
    const ended = await Promise.all(started.map(({ body }) => untilRunEnded(owner, String(body['run_id']))));
    const spent = ended.reduce((sum, run) => sum + Number(run['spent']), 0);
    expect(await balanceOf(owner)).toEqual({ available: 10_000 - spent, held: 0 });
    expect(spent).toBe((await savedOf(owner)).length);
  });

  it('starts in the end under a key that was refused often, because others were active', async () => {
    const owner = await newOwner(100);
    const searchId = await searchOf(owner);
    const others = await Promise.all(Array.from({ length: limits.activeRunsMax }, () => searchOf(owner)));
    // No worker takes these: they have no queued job, and appear to have been active recently.
    await store.pool.query(
      `INSERT INTO discovery_run (run_id, search_id, account_id, requested, price, hold_amount, created_by, moved_at)
       SELECT 'run_' || md5(other), other, $1, 1, 1, 0, 'user', now() + interval '1 hour' FROM unnest($2::text[]) other`,
      [owner.accountId, others],
    );
    const headers = { 'idempotency-key': newId('request') };
    for (let attempts = 0; attempts < 7; attempts += 1) {
      const refused = await owner.post(`/people-searches/${searchId}/runs`, { people: 3 }, headers);
      expect([refused.status, refused.body['code']]).toEqual([409, 'too_many_runs']);
    }
    await store.pool.query('DELETE FROM discovery_run WHERE search_id = ANY($1)', [others]);
    const run = await start(owner, searchId, { people: 3 }, headers);
    expect(await untilRunEnded(owner, run.run_id)).toMatchObject({ state: 'succeeded', spent: 3 });
    expect(await balanceOf(owner)).toEqual({ available: 97, held: 0 });
  });

  it('puts the people whom it saves into a list too', async () => {
    const owner = await newOwner(600);
    const list = await owner.post('/saved-lists', { kind: 'people', name: 'Of the run' });
    const run = await start(owner, await searchOf(owner), { people: 600, list_id: list.body['list_id'] });
    await untilRunEnded(owner, run.run_id);
    const { body } = await owner.get('/saved-lists');
    expect(body['lists']).toMatchObject([{ name: 'Of the run', entries: 600 }]);
  });

  it('saves exactly the people who were chosen from the preview', async () => {
    const owner = await newOwner(100);
    const other = await store.add(120);
    const searchId = await searchOf(owner, { company_domains: [other] });
    const shown = await idsOf(owner, searchId);
    expect(shown).toHaveLength(limits.previewedPeopleMax);
    const hidden = await store.pool.query(
      'SELECT person_id FROM person JOIN company USING (company_no) WHERE domain = $1 ORDER BY person_no DESC LIMIT 1',
      [other],
    );
    const [first, second, third] = [shown[3], shown[70], shown[9]];
    const chosen = [first, second, first, hidden.rows[0].person_id, newId('person')];
    const headers = { 'idempotency-key': newId('request') };
    const run = await start(owner, searchId, { person_ids: chosen }, headers);
    expect(run).toMatchObject({ requested: 2, reserved: 2 });
    expect(await untilRunEnded(owner, run.run_id)).toMatchObject({
      state: 'succeeded',
      delivered: 2,
      spent: 2,
      returned: 0,
      has_more: true,
    });
    expect(await savedIdsOf(owner)).toEqual([first, second].sort());
    expect((await start(owner, searchId, { person_ids: chosen }, headers)).run_id).toBe(run.run_id);
    const path = `/people-searches/${searchId}/runs`;
    const none = await owner.post(path, { person_ids: [first, newId('person')] });
    expect([none.status, none.body['code']]).toEqual([409, 'nothing_to_deliver']);
    const next = await start(owner, searchId, { person_ids: [third, second] });
    expect(await untilRunEnded(owner, next.run_id)).toMatchObject({ requested: 1, spent: 1 });
    expect(await savedIdsOf(owner)).toEqual([first, second, third].sort());
    for (const body of [
      {},
      { people: 1, person_ids: [first] },
      { person_ids: [] },
      { person_ids: Array(limits.previewedPeopleMax + 1).fill(first) },
    ]) {
      expect((await owner.post(path, body)).body['code']).toBe('invalid_request');
    }
    expect(await balanceOf(owner)).toEqual({ available: 97, held: 0 });
  });

  it('saves the rest of the chosen people if one has left the store, and ends', async () => {
    const other = await store.add(3);
    const owner = await newOwner(10);
    const searchId = await searchOf(owner, { company_domains: [other] });
    const [gone, kept] = await idsOf(owner, searchId);
    const client = await store.pool.connect();
    await client.query('BEGIN');
    // No run saves people until the end of the transaction.
    await client.query('LOCK TABLE saved_person IN SHARE ROW EXCLUSIVE MODE');
    const run = await start(owner, searchId, { person_ids: [gone, kept] });
    await client.query('DELETE FROM person WHERE person_id = $1', [gone]);
    await client.query('COMMIT');
    client.release();
    expect(await untilRunEnded(owner, run.run_id)).toMatchObject({ delivered: 1, spent: 1, returned: 1 });
    expect(await balanceOf(owner)).toEqual({ available: 9, held: 0 });
  });

  it('saves no one who has left the store, and charges nothing for them', async () => {
    const other = await store.add(20);
    const owner = await newOwner(100);
    const searchId = await searchOf(owner, { company_domains: [other] });
    // Deletes them behind the index's back, as suppression deletes a person shortly before the index learns of it.
    const gone = await store.pool.query(
      `DELETE FROM person WHERE person_no IN (
         SELECT p.person_no FROM person p JOIN company c USING (company_no) WHERE c.domain = $1 LIMIT 5)`,
      [other],
    );
    expect(gone.rowCount).toBe(5);
    const run = await start(owner, searchId, { people: 20 });
    expect(await untilRunEnded(owner, run.run_id)).toMatchObject({
      requested: 20,
      delivered: 15,
      spent: 15,
      returned: 5,
      has_more: false,
    });
  });
});

/** The ids of all people of a preview. */
async function idsOf(person: Person, searchId: string): Promise<string[]> {
  const { body } = await person.get(`/people-searches/${searchId}/people?limit=200`);
  return (body['people'] as { person_id: string }[]).map(({ person_id }) => person_id);
}

async function savedIdsOf(person: Person): Promise<string[]> {
  const { rows } = await store.pool.query<{ person_id: string }>(
    'SELECT person_id FROM saved_person JOIN person USING (person_no) WHERE account_id = $1',
    [person.accountId],
  );
  return rows.map(({ person_id }) => person_id).sort();
}

async function savedOf(person: Person) {
  const { rows } = await store.pool.query('SELECT person_no FROM saved_person WHERE account_id = $1', [
    person.accountId,
  ]);
  return rows;
}

async function endedRun(person: Person, count = 3) {
  const run = await start(person, await searchOf(person), { people: count });
  await untilRunEnded(person, run.run_id);
  return run.run_id;
}

describeOperation(getDiscoveryRun, {
  async success() {
    const owner = await newOwner(3);
    const runId = await endedRun(owner);
    const answer = await owner.get(`/discovery-runs/${runId}`);
    expect(answer.status).toBe(200);
    expect(discoveryRun.parse(answer.body)).toMatchObject({
      run_id: runId,
      state: 'succeeded',
      delivered: 3,
      reserved: 3,
      spent: 3,
      returned: 0,
    });
  },
  async badInput() {
    const owner = await newOwner();
    expect((await owner.get('/discovery-runs/x')).body['code']).toBe('invalid_request');
    expect((await owner.get(`/discovery-runs/${newId('discoveryRun')}`)).body['code']).toBe('run_not_found');
  },
  async noCredentials() {
    expect((await stranger().get(`/discovery-runs/${newId('discoveryRun')}`)).status).toBe(401);
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(3), await newOwner()];
    const answer = await other.get(`/discovery-runs/${await endedRun(one)}`);
    expect([answer.status, answer.body['code']]).toEqual([404, 'run_not_found']);
  },
});

describeOperation(listDiscoveryRuns, {
  async success() {
    const owner = await newOwner(6);
    const [first, second] = [await endedRun(owner), await endedRun(owner)];
    const page = await owner.get('/discovery-runs?limit=1&kind=people&state=succeeded');
    expect(page.body['runs']).toMatchObject([{ run_id: second }]);
    const next = await owner.get(
      `/discovery-runs?limit=1&kind=people&state=succeeded&cursor=${page.body['next_cursor']}`,
    );
    expect(next.body['runs']).toMatchObject([{ run_id: first }]);
    expect(next.body['next_cursor']).toBeUndefined();
    expect((await owner.get('/discovery-runs?state=failed')).body['runs']).toEqual([]);
    expect((await owner.get('/discovery-runs?kind=lookalikes')).body['runs']).toEqual([]);
  },
  async badInput() {
    const owner = await newOwner();
    expect((await owner.get('/discovery-runs?state=lost')).body['code']).toBe('invalid_request');
    expect((await owner.get('/discovery-runs?cursor=x')).body['code']).toBe('invalid_cursor');
  },
  async noCredentials() {
    expect((await stranger().get('/discovery-runs')).status).toBe(401);
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(3), await newOwner()];
    await endedRun(one);
    expect((await other.get('/discovery-runs')).body['runs']).toEqual([]);
  },
});

describeOperation(cancelDiscoveryRun, {
  async success() {
    const owner = await newOwner(people);
    const run = await start(owner, await searchOf(owner), { people: 'all' });
    const cancelled = await owner.post(`/discovery-runs/${run.run_id}/cancellation`, undefined);
    expect(cancelled.status).toBe(200);
    const { delivered } = discoveryRun.parse(cancelled.body);
    const ended = await untilRunEnded(owner, run.run_id);
    // The run may have finished before the cancellation; either way, it is charged for what it delivered.
    expect(['cancelled', 'succeeded']).toContain(ended['state']);
    expect(ended['delivered']).toBe(delivered);
    expect(await savedBy(run.run_id)).toBe(delivered);
    expect(await balanceOf(owner)).toEqual({ available: people - delivered, held: 0 });
    const again = await owner.post(`/discovery-runs/${run.run_id}/cancellation`, undefined);
    expect(again.body).toMatchObject({ state: ended['state'] });
  },
  async badInput() {
    const owner = await newOwner();
    expect((await owner.post('/discovery-runs/x/cancellation', undefined)).body['code']).toBe(
      'invalid_request',
    );
  },
  async noCredentials() {
    const answer = await stranger().post(`/discovery-runs/${newId('discoveryRun')}/cancellation`, undefined);
    expect(answer.status).toBe(401);
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(3), await newOwner()];
    const answer = await other.post(`/discovery-runs/${await endedRun(one)}/cancellation`, undefined);
    expect([answer.status, answer.body['code']]).toEqual([404, 'run_not_found']);
  },
});

interface RunEvent {
  readonly id: number;
  readonly event: string;
  readonly run: ReturnType<typeof discoveryRun.parse>;
}

/** Opens the event stream of a run; returns what has arrived so far. */
async function follow(person: Person, runId: string, lastEventId?: string) {
  const gone = new AbortController();
  const response = await fetch(`${test.house.gatewayUrls[0]}/app/v1/discovery-runs/${runId}/events`, {
    headers: {
      cookie: [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
    signal: AbortSignal.any([gone.signal, AbortSignal.timeout(60_000)]),
  });
  return { response, leave: () => gone.abort() };
}

function eventsIn(text: string): RunEvent[] {
  return text
    .split('\n\n')
    .filter(block => block.startsWith('id: '))
    .map(block => {
      const lines = Object.fromEntries(block.split('\n').map(line => line.split(/: (.*)/s).slice(0, 2)));
      return {
        id: Number(lines['id']),
        event: String(lines['event']),
        run: discoveryRun.parse(JSON.parse(String(lines['data']))),
      };
    });
}

describeOperation(followDiscoveryRun, {
  async success() {
    const owner = await newOwner(people);
    const run = await start(owner, await searchOf(owner), { people: 'all' });
    const { response } = await follow(owner, run.run_id);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ]);
    const events = eventsIn(await response.text());
    expect(events.length).toBeGreaterThan(0);
    expect(events.map(({ id }) => id)).toEqual(events.map(({ run: { version } }) => version));
    expect(events.map(({ id }) => id)).toEqual(
      [...new Set(events.map(({ id }) => id))].sort((a, b) => a - b),
    );
    expect(events.at(-1)).toMatchObject({ event: 'run', run: { state: 'succeeded', delivered: people } });
    // A client that has seen the last event gets no event again.
    const seen = await follow(owner, run.run_id, String(events.at(-1)?.id));
    expect(eventsIn(await seen.response.text())).toEqual([]);
    const missed = await follow(owner, run.run_id, '1');
    expect(eventsIn(await missed.response.text())).toHaveLength(1);
  },
  async badInput() {
    const owner = await newOwner();
    expect((await owner.get('/discovery-runs/x/events')).body['code']).toBe('invalid_request');
    expect((await owner.get(`/discovery-runs/${newId('discoveryRun')}/events`)).body['code']).toBe(
      'run_not_found',
    );
  },
  async noCredentials() {
    const answer = await stranger().get(`/discovery-runs/${newId('discoveryRun')}/events`);
    expect([answer.status, answer.body['code']]).toEqual([401, 'not_signed_in']);
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(3), await newOwner()];
    const answer = await other.get(`/discovery-runs/${await endedRun(one)}/events`);
    expect([answer.status, answer.body['code']]).toEqual([404, 'run_not_found']);
  },
});

describe('following a run', () => {
  it('is rejected for an account with the maximum of streams, until one of them closes', async () => {
    const owner = await newOwner(3);
    const runId = await endedRun(owner);
    // A run that, to its followers, never ends.
    await store.pool.query(
      "UPDATE discovery_run SET state = 'running', moved_at = now() + interval '1 day' WHERE run_id = $1",
      [runId],
    );
    const replicas = 2;
    const followers = await Promise.all(
      Array.from({ length: replicas * limits.runFollowersMax + 1 }, () => follow(owner, runId)),
    );
    const admitted = followers.filter(({ response }) => response.status === 200);
    const refused = followers.filter(({ response }) => response.status === 429);
    expect(admitted.length).toBeGreaterThanOrEqual(limits.runFollowersMax);
    expect(refused.length).toBeGreaterThanOrEqual(1);
    expect(admitted.length + refused.length).toBe(followers.length);
    for (const { leave } of followers) {
      leave();
    }
    const later = await untilFollowed(owner, runId);
    expect(later).toBe(200);
    await store.pool.query("UPDATE discovery_run SET state = 'succeeded' WHERE run_id = $1", [runId]);
  });
});

async function untilFollowed(owner: Person, runId: string): Promise<number> {
  const { until } = await import('../until.ts');
  return until(
    'room for a follower',
    async () => {
      const { response, leave } = await follow(owner, runId);
      leave();
      return response.status;
    },
    status => status === 200,
  );
}
