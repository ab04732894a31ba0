import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@mailproof/dev-house';
import { assistantRefusals } from '@mailproof/shared-types';
import { decodeJwt } from 'jose';
import {
  assistantsOf,
  type Connection,
  connect,
  postForm,
  refresh,
  register,
  type Tokens,
  useToken,
} from './oauth-steps.ts';
import { resource, startToolServers, type ToolServers } from './tool-server.ts';

let servers: ToolServers;
let passedMs = 0;
/** When time stopped, except for what `pass` lets pass; undefined while it runs. */
let stoppedAtMs: number | undefined;

/**
 * Seconds after which no refresh is in flight; short enough that no token expires, because the library's clock does not
 * move.
 */
const muchLater = 120;

/** Lets time pass at every replica. */
const pass = (seconds: number) => {
  passedMs += seconds * 1_000;
};

beforeAll(async () => {
  const now = () => new Date((stoppedAtMs ?? Date.now()) + passedMs);
  servers = await startToolServers({ replicas: 2, overrides: { now } });
});
afterAll(() => servers?.stop());
beforeEach(() => {
  servers.gateway.access = 'ready';
  passedMs = 0;
  stoppedAtMs = undefined;
});

const readJson = async (response: Response) => (await response.json()) as Record<string, unknown>;

async function tokensOf(response: Response): Promise<Tokens> {
  const body = await response.json();
  expect([response.status, body]).toEqual([200, expect.objectContaining({ token_type: 'Bearer' })]);
  return body as Tokens;
}

/** Sends this number of equal refreshes at the same time, to both replicas in turn. */
async function refreshAtOnce(connection: Connection, times: number): Promise<Tokens[]> {
  const answers = Array.from({ length: times }, (_, n) => refresh(servers, connection, {}, n % 2));
  return Promise.all((await Promise.all(answers)).map(tokensOf));
}

/** Waits until this many database connections wait for a lock. */
function untilWaiting(count: number): Promise<unknown> {
  return waitFor(
    'Refreshes wait for the lock',
    async () => {
      const { rows } = await servers.pool.query(`
        SELECT 1 FROM pg_locks JOIN pg_stat_activity USING (pid)
        WHERE NOT granted AND datname = current_database()`);
      return rows.length === count;
    },
    { deadlineMs: 10_000 },
  );
}

describe('a refresh token', () => {
  it('is not used up by a request for a foreign resource', async () => {
    const connection = await connect(servers);
    const foreign = await refresh(servers, connection, { resource: 'https://other.example' });
    expect([foreign.status, (await readJson(foreign))['error']]).toEqual([400, 'invalid_target']);
    expect((await refresh(servers, connection, { resource })).status).toBe(200);
    expect(await assistantsOf(servers, connection.clientId)).toBe(1);
  });

  it('gives another one, at either replica', async () => {
    const connection = await connect(servers);
    const second = await tokensOf(await refresh(servers, connection, {}, 1));
    expect(second.refresh_token).not.toBe(connection.refresh_token);
    expect(await useToken(servers, second.access_token)).toBe(200);
  });

  it('continues to rotate', async () => {
    let connection = await connect(servers);
    const seen = new Set([connection.refresh_token]);
    for (let turns = 0; turns < 3; turns += 1) {
      connection = { ...connection, ...(await tokensOf(await refresh(servers, connection, {}, turns % 2))) };
      seen.add(connection.refresh_token);
      pass(muchLater);
    }
    expect(seen.size).toBe(4);
  });

  it('cannot get more than was granted', async () => {
    const connection = await connect(servers, { parameters: { scope: 'account.read' } });
    const response = await refresh(servers, connection, { scope: 'account.read validation.run' });
    expect([response.status, (await readJson(response))['error']]).toEqual([400, 'invalid_scope']);
  });

  it.each(['no_active_plan', 'no_ready_api_key', 'user_gone'] as const)(
    'is refused with an error text while %s, and works again afterward',
    async reason => {
      const connection = await connect(servers);
      servers.gateway.access = reason;
      const refused = await refresh(servers, connection);
      expect([refused.status, await readJson(refused)]).toEqual([
        400,
        { error: 'invalid_grant', error_description: assistantRefusals[reason] },
      ]);
      servers.gateway.access = 'ready';
      expect((await refresh(servers, connection)).status).toBe(200);
    },
  );

  it('is not used up while the gateway is away', async () => {
    const connection = await connect(servers);
    servers.gateway.access = 'away';
    const response = await refresh(servers, connection);
    expect([response.status, (await readJson(response))['error']]).toEqual([503, 'temporarily_unavailable']);
    servers.gateway.access = 'ready';
    expect((await refresh(servers, connection)).status).toBe(200);
  });

  it('that is revoked ends the assistant (RFC 7009)', async () => {
    const connection = await connect(servers);
    const { clientId, refresh_token } = connection;
    // Another user's client cannot revoke it.
    await postForm(servers, '/revoke', { token: refresh_token, client_id: await register(servers) });
    expect(await assistantsOf(servers, clientId)).toBe(1);
    expect((await postForm(servers, '/revoke', { token: refresh_token, client_id: clientId })).status).toBe(
      200,
    );
    expect(await assistantsOf(servers, clientId)).toBe(0);
    expect((await refresh(servers, connection)).status).toBe(400);
  });

  it('survives the loss of everything that lives shortly', async () => {
    const connection = await connect(servers);
    await servers.redis.flushdb();
    expect((await refresh(servers, connection)).status).toBe(200);
  });
});

describe('a client that refreshes in parallel', () => {
  it.each([2, 10])('%i times at two replicas gets one successor, and stays connected', async times => {
    const connection = await connect(servers);
    const answers = await refreshAtOnce(connection, times);
    const [successor, ...others] = new Set(answers.map(({ refresh_token }) => refresh_token));
    expect([others, new Set(answers.map(({ access_token }) => access_token)).size]).toEqual([[], times]);
    for (const { access_token } of answers) expect(await useToken(servers, access_token, 1)).toBe(200);
    pass(muchLater);
    const next = { ...connection, refresh_token: String(successor) };
    const [after] = await refreshAtOnce(next, times);
    expect(after?.refresh_token).not.toBe(successor);
    expect(await useToken(servers, String(after?.access_token))).toBe(200);
  });

  it('may send the old token a moment after it has used the new one', async () => {
    const connection = await connect(servers);
    const second = await tokensOf(await refresh(servers, connection));
    expect(await useToken(servers, second.access_token, 1)).toBe(200);
    // A refresh in flight still has the old token; a refresh that started since has the new one.
    const late = await tokensOf(await refresh(servers, connection, {}, 1));
    const early = await tokensOf(await refresh(servers, { ...connection, ...second }));
    const later = await tokensOf(await refresh(servers, connection));
    // The client gets the same token in each response, so it may keep any of them.
    expect([late, early, later].map(({ refresh_token }) => refresh_token)).toEqual(
      Array.from({ length: 3 }, () => second.refresh_token),
    );
    pass(muchLater);
    const third = await tokensOf(await refresh(servers, { ...connection, ...second }, {}, 1));
    expect(third.refresh_token).not.toBe(second.refresh_token);
    expect(await useToken(servers, third.access_token)).toBe(200);
  });

  it('gets the newest token for the old one where both waited for the lock, and stays connected', async () => {
    const connection = await connect(servers);
    const second = await tokensOf(await refresh(servers, connection));
    const holder = await servers.pool.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM assistant WHERE client_id = $1 FOR UPDATE', [connection.clientId]);
      const early = refresh(servers, { ...connection, ...second });
      await untilWaiting(1);
      const late = refresh(servers, connection, {}, 1);
      await untilWaiting(2);
      await holder.query('COMMIT');
      const [third, again] = await Promise.all([early.then(tokensOf), late.then(tokensOf)]);
      expect(third.refresh_token).not.toBe(second.refresh_token);
      expect(again.refresh_token).toBe(third.refresh_token);
      expect(await assistantsOf(servers, connection.clientId)).toBe(1);
    } finally {
      holder.release(true);
    }
  });

  it('gets the scopes that each refresh asks for, and a successor with all that were granted', async () => {
    const connection = await connect(servers);
    const scopes = ['account.read', 'validation.run', 'account.read validation.run'];
    const answers = await Promise.all(
      scopes.map(async (scope, n) => tokensOf(await refresh(servers, connection, { scope }, n % 2))),
    );
    expect(answers.map(({ scope }) => scope)).toEqual(scopes);
    expect(answers.map(({ access_token }) => decodeJwt(access_token)['scope'])).toEqual(scopes);
    const [first] = answers;
    expect(new Set(answers.map(({ refresh_token }) => refresh_token)).size).toBe(1);
    pass(muchLater);
    const next = await tokensOf(await refresh(servers, { ...connection, ...(first as Tokens) }));
    expect(next.scope).toBe('account.read validation.run');
  });
});

describe('a client that loses the answer to a refresh', () => {
  it('gets the same successor at each retry within the overlap', async () => {
    const connection = await connect(servers);
    stoppedAtMs = Date.now();
    const lost = await tokensOf(await refresh(servers, connection));
    pass(20);
    const again = await tokensOf(await refresh(servers, connection, {}, 1));
    pass(39);
    const third = await tokensOf(await refresh(servers, connection));
    expect([again.refresh_token, third.refresh_token]).toEqual([lost.refresh_token, lost.refresh_token]);
    expect(await useToken(servers, third.access_token)).toBe(200);
    pass(muchLater);
    const next = await tokensOf(await refresh(servers, { ...connection, ...third }, {}, 1));
    expect(await useToken(servers, next.access_token)).toBe(200);
  });
});
