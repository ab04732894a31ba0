import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { assistantRefusals } from '@mailproof/shared-types';
import { assistantsOf, connect, postForm, refresh, register, type Tokens } from './oauth-steps.ts';
import { resource, startToolServers, type ToolServers } from './tool-server.ts';

let servers: ToolServers;

beforeAll(async () => {
  servers = await startToolServers({ replicas: 2 });
});
afterAll(() => servers?.stop());
beforeEach(() => {
  servers.gateway.access = 'ready';
});

const readJson = async (response: Response) => (await response.json()) as Record<string, unknown>;

describe('a refresh token', () => {
  it('is not used up by a request for a foreign resource', async () => {
    const connection = await connect(servers);
    const foreign = await refresh(servers, connection, { resource: 'https://other.example' });
    expect([foreign.status, (await readJson(foreign))['error']]).toEqual([400, 'invalid_target']);
    expect((await refresh(servers, connection, { resource })).status).toBe(200);
    expect(await assistantsOf(servers, connection.clientId)).toBe(1);
  });

  it('is good once, at whichever replica, and its second use ends the assistant', async () => {
    const connection = await connect(servers);
    const second = (await (await refresh(servers, connection, {}, 1)).json()) as Tokens;
    expect(second.refresh_token).not.toBe(connection.refresh_token);
    const replayed = await refresh(servers, connection);
    expect([replayed.status, (await readJson(replayed))['error']]).toEqual([400, 'invalid_grant']);
    const after = await refresh(servers, { ...connection, ...second });
    expect([after.status, (await readJson(after))['error']]).toEqual([400, 'invalid_grant']);
    expect(await assistantsOf(servers, connection.clientId)).toBe(0);
  });

  it('is good for one at most of those who use it at once at two replicas, and they end the assistant', async () => {
    const connection = await connect(servers);
    const answers = await Promise.all([0, 1, 0, 1].map(replica => refresh(servers, connection, {}, replica)));
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    expect(answers.filter(({ status }) => status === 400).length).toBeGreaterThanOrEqual(3);
    expect(await assistantsOf(servers, connection.clientId)).toBe(0);
  });

  it('goes on rotating', async () => {
    let connection = await connect(servers);
    for (let turns = 0; turns < 3; turns += 1) {
      const response = await refresh(servers, connection, {}, turns % 2);
      expect(response.status).toBe(200);
      connection = { ...connection, ...((await response.json()) as Tokens) };
    }
  });

  it('cannot get more than was granted', async () => {
    const connection = await connect(servers, { parameters: { scope: 'account.read' } });
    const response = await refresh(servers, connection, { scope: 'account.read validation.run' });
    expect([response.status, (await readJson(response))['error']]).toEqual([400, 'invalid_scope']);
  });

  it.each(['no_active_plan', 'no_ready_api_key', 'user_gone'] as const)(
    'is refused in words while %s, and works again afterwards',
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
    // Somebody else's client cannot.
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
