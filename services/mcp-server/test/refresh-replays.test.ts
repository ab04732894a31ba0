import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { waitFor } from '@mailproof/dev-house';
import { createRefreshTokenStore } from '../src/adapters/postgres/refresh-token-store.ts';
import { createSealers } from '../src/compose/operator.ts';
import { lifetimes } from '../src/domain/oauth/lifetimes.ts';
import {
  assistantsOf,
  type Connection,
  connect,
  exchange,
  postForm,
  refresh,
  register,
  type Tokens,
  useToken,
} from './oauth-steps.ts';
import { startToolServers, type ToolServers } from './tool-server.ts';

let servers: ToolServers;
let strict: ToolServers;
let passedMs = 0;

const now = () => new Date(Date.now() + passedMs);
/** Lets time pass at every replica. */
const pass = (seconds: number) => {
  passedMs += seconds * 1_000;
};

beforeAll(async () => {
  [servers, strict] = await Promise.all([
    startToolServers({ replicas: 2, overrides: { now } }),
    startToolServers({ replicas: 2, env: { OAUTH_REFRESH_OVERLAP_SECONDS: '0' } }),
  ]);
});
afterAll(async () => {
  await servers?.stop();
  await strict?.stop();
});
beforeEach(() => {
  passedMs = 0;
});

const dead = { status: 400, error: 'invalid_grant' };

async function answerOf(response: Response): Promise<{ status: number; error: unknown }> {
  const { error } = (await response.json()) as { error?: string };
  return { status: response.status, error };
}

/** Refreshes, and returns the connection with the new tokens. */
async function refreshed(connection: Connection, replica = 0): Promise<Connection> {
  const response = await refresh(servers, connection, {}, replica);
  expect(response.status).toBe(200);
  return { ...connection, ...((await response.json()) as Tokens) };
}

async function expectEnded(...connections: readonly Connection[]): Promise<void> {
  for (const connection of connections) {
    expect(await assistantsOf(servers, connection.clientId)).toBe(0);
    expect(await useToken(servers, connection.access_token, 1)).toBe(401);
    expect(await answerOf(await refresh(servers, connection, {}, 1))).toEqual(dead);
  }
}

/** Uses an access token and waits until the use is recorded, because requests do not wait for that. */
async function useAndNote(connection: Connection, replica: number): Promise<void> {
  expect(await useToken(servers, connection.access_token, replica)).toBe(200);
  await waitFor(
    'The use is noted',
    async () => {
      const { rows } = await servers.pool.query(
        `SELECT 1 FROM refresh_token JOIN assistant USING (assistant_id)
       WHERE client_id = $1 AND received_at IS NOT NULL AND consumed_at IS NULL`,
        [connection.clientId],
      );
      return rows.length === 1;
    },
    { deadlineMs: 10_000 },
  );
}

describe('a refresh token that was replaced', () => {
  it('ends the assistant at the end of the overlap', async () => {
    const first = await connect(servers);
    const second = await refreshed(first, 1);
    pass(60);
    expect(await answerOf(await refresh(servers, first))).toEqual(dead);
    await expectEnded(second);
  });

  it('ends it ten seconds after the client first used the access token of its successor, at any replica', async () => {
    const first = await connect(servers);
    const second = await refreshed(first);
    pass(5);
    await useAndNote(second, 1);
    pass(9);
    // Only the first use counts.
    await useAndNote(second, 0);
    expect((await refresh(servers, first)).status).toBe(200);
    pass(1);
    expect(await answerOf(await refresh(servers, first))).toEqual(dead);
    await expectEnded(second);
  });

  it('ends it immediately after its successor was used for a refresh', async () => {
    const first = await connect(servers);
    const second = await refreshed(first);
    const third = await refreshed(second, 1);
    expect(new Set([first, second, third].map(({ refresh_token }) => refresh_token)).size).toBe(3);
    expect(await answerOf(await refresh(servers, first))).toEqual(dead);
    await expectEnded(second, third);
  });

  it('ends it immediately after its successor, which was kept for parallel refreshes, was replaced', async () => {
    const first = await connect(servers);
    const second = await refreshed(first);
    expect(await refreshed(first, 1)).toMatchObject({ refresh_token: second.refresh_token });
    expect(await refreshed(second, 1)).toMatchObject({ refresh_token: second.refresh_token });
    pass(10);
    const third = await refreshed(second, 1);
    expect(third.refresh_token).not.toBe(second.refresh_token);
    expect(await answerOf(await refresh(servers, first))).toEqual(dead);
    await expectEnded(second, third);
  });

  it('still ends it after a sweep, as long as its row is kept', async () => {
    const first = await connect(servers);
    const second = await refreshed(first);
    pass(lifetimes.usedTokenSeconds - 60);
    const { refreshToken } = createSealers([{ kid: 'ring-2', key: new Uint8Array(32).fill(2) }]);
    await createRefreshTokenStore(servers.pool, refreshToken, 60).sweep(now());
    expect(await answerOf(await refresh(servers, first))).toEqual(dead);
    await expectEnded(second);
  });

  it('ends it immediately if the previous release replaced it, which records no successor', async () => {
    const first = await connect(servers);
    const { rowCount } = await servers.pool.query(
      `UPDATE refresh_token SET consumed_at = now() FROM assistant
       WHERE assistant.assistant_id = refresh_token.assistant_id AND client_id = $1`,
      [first.clientId],
    );
    expect(rowCount).toBe(1);
    expect(await answerOf(await refresh(servers, first))).toEqual(dead);
    await expectEnded(first);
  });

  it.each([
    ['it', (first: Connection, _second: Connection) => first],
    ['its successor', (_first: Connection, second: Connection) => second],
  ])('ends it when %s is revoked', async (_name, which) => {
    const first = await connect(servers);
    const second = await refreshed(first);
    const token = which(first, second).refresh_token;
    expect((await postForm(servers, '/revoke', { token, client_id: first.clientId }, 1)).status).toBe(200);
    await expectEnded(first, second);
  });

  it('ends with the assistant after a replay of its code', async () => {
    const first = await connect(servers);
    const second = await refreshed(first);
    const again = await exchange(servers, first.clientId, first.code, first.verifier);
    expect(await answerOf(again)).toEqual(dead);
    await expectEnded(first, second);
  });
});

describe('a thief of a refresh token', () => {
  it('who uses it first loses access when the owner uses it after the overlap', async () => {
    const owner = await connect(servers);
    const thief = await refreshed(owner);
    await useAndNote(thief, 0);
    pass(300);
    expect(await answerOf(await refresh(servers, owner, {}, 1))).toEqual(dead);
    await expectEnded(thief);
  });

  it('who uses it within the overlap is detected at the next refresh', async () => {
    const first = await connect(servers);
    const owner = await refreshed(first);
    const thief = await refreshed(first, 1);
    expect(thief.refresh_token).toBe(owner.refresh_token);
    pass(300);
    const next = await refreshed(owner);
    await useAndNote(next, 0);
    pass(10);
    expect(await answerOf(await refresh(servers, thief, {}, 1))).toEqual(dead);
    await expectEnded(next, thief);
  });

  it('who sends thirty simultaneous refreshes after the overlap gets nothing from either replica', async () => {
    const first = await connect(servers);
    const second = await refreshed(first);
    pass(60);
    const answers = await Promise.all(
      Array.from({ length: 30 }, async (_, n) => answerOf(await refresh(servers, first, {}, n % 2))),
    );
    expect(answers).toEqual(Array.from({ length: 30 }, () => dead));
    await expectEnded(second);
  });
});

describe('without an overlap', () => {
  it('a second use ends the assistant', async () => {
    const connection = await connect(strict);
    const second = (await (await refresh(strict, connection, {}, 1)).json()) as Tokens;
    expect(second.refresh_token).not.toBe(connection.refresh_token);
    const third = (await (await refresh(strict, { ...connection, ...second })).json()) as Tokens;
    expect(third.refresh_token).not.toBe(second.refresh_token);
    expect(await answerOf(await refresh(strict, { ...connection, ...second }))).toEqual(dead);
    expect(await answerOf(await refresh(strict, { ...connection, ...third }))).toEqual(dead);
    expect(await assistantsOf(strict, connection.clientId)).toBe(0);
  });

  it('thirty simultaneous uses give tokens to one at most, end the assistant, and get the same error', async () => {
    const connection = await connect(strict);
    const answers = await Promise.all(
      Array.from({ length: 30 }, async (_, n) => answerOf(await refresh(strict, connection, {}, n % 2))),
    );
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThanOrEqual(29);
    expect(refused).toEqual(refused.map(() => dead));
    expect(await assistantsOf(strict, connection.clientId)).toBe(0);
  });
});

describe('an invalid refresh token', () => {
  it.each([
    ['unknown', 'a token that was never issued'],
    ['empty but for a space', ' '],
    ['text beyond ASCII', 'grüße 🙂'],
    ['long', 'x'.repeat(50_000)],
  ])('is refused as invalid_grant: %s', async (_name, refresh_token) => {
    const clientId = await register(servers);
    expect(await answerOf(await refresh(servers, { clientId, refresh_token }))).toEqual(dead);
  });

  it('is refused as invalid_grant to another client, and stays valid for its own', async () => {
    const connection = await connect(servers);
    const stolen = { ...connection, clientId: await register(servers) };
    expect(await answerOf(await refresh(servers, stolen))).toEqual(dead);
    await refreshed(connection);
  });

  it('is refused as invalid_grant after it has expired', async () => {
    const connection = await connect(servers);
    const late = Date.now() + (lifetimes.refreshTokenSeconds + 1) * 1_000;
    const clock = jest.spyOn(Date, 'now').mockReturnValue(late);
    try {
      expect(await answerOf(await refresh(servers, connection))).toEqual(dead);
    } finally {
      clock.mockRestore();
    }
  });

  it('is refused as invalid_grant when its assistant was disconnected', async () => {
    const connection = await connect(servers);
    await servers.pool.query('DELETE FROM assistant WHERE client_id = $1', [connection.clientId]);
    expect(await answerOf(await refresh(servers, connection))).toEqual(dead);
  });
});
