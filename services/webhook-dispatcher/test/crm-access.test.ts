import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { CrmConnectionId } from '@mailproof/shared-types';
import { type AccessPorts, createAccessSources } from '../src/domain/crm/connections/access-source.ts';
import { disconnect } from '../src/domain/crm/connections/connect.ts';
import type { CrmConnection } from '../src/domain/crm/connections/crm-connection.ts';
import { type CrmGround, openCrmGround, redirectUri, testRing } from './crm-ground.ts';

let ground: CrmGround;

beforeAll(async () => {
  ground = await openCrmGround();
});

afterAll(() => ground?.close());

beforeEach(() => {
  ground.told.length = 0;
  ground.aheadMs = 0;
  ground.salesforce.oauth.rotateRefreshTokens(false);
});

const signal = () => AbortSignal.timeout(30_000);
const faultOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error: { kind?: string; waitMs?: number }) => [error.kind, error.waitMs],
  );

const currentOf = (ports: AccessPorts, { connectionId }: CrmConnection) =>
  createAccessSources(ports).of(connectionId).current(signal());

async function rowOf(connectionId: CrmConnectionId) {
  const { rows } = await ground.pool.query('SELECT * FROM crm_connection WHERE connection_id = $1', [
    connectionId,
  ]);
  return rows[0];
}

/** Runs work after the token endpoint has processed a request but before it answers. */
async function whileAnswerIsHeld(
  provider: 'hubspot' | 'salesforce',
  ask: () => Promise<unknown>,
  work: () => Promise<unknown>,
): Promise<PromiseSettledResult<unknown>> {
  const { oauth } = ground[provider];
  const { promise, resolve } = Promise.withResolvers<void>();
  const before = oauth.counts.refreshed;
  oauth.holdTokenAnswers(promise);
  const asked = Promise.allSettled([ask()]);
  while (oauth.counts.refreshed === before) {
    await new Promise(each => setImmediate(each));
  }
  await work();
  oauth.holdTokenAnswers(Promise.resolve());
  resolve();
  const [outcome] = await asked;
  return outcome as PromiseSettledResult<unknown>;
}

describe('access to a connected CRM', () => {
  it('is renewed once for ten that find it at its end in two processes', async () => {
    const connection = await ground.connect('hubspot');
    const processes = [ground.process(), ground.process()].map(createAccessSources);
    const before = ground.hubspot.oauth.counts.refreshed;
    ground.aheadMs = 1_790_000;
    const given = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        processes[index % 2]?.of(connection.connectionId).current(signal()),
      ),
    );
    expect(ground.hubspot.oauth.counts.refreshed - before).toBe(1);
    expect(new Set(given.map(each => each?.accessToken)).size).toBe(1);
    expect(ground.hubspot.oauth.isAccepted(String(given[0]?.accessToken))).toBe(true);
    expect(ground.told).toEqual(['connected hubspot', 'renewed hubspot']);
  });

  it('is renewed once for ten that the CRM has refused in two processes, with a refresh token that is good once', async () => {
    const { salesforce } = ground;
    salesforce.oauth.rotateRefreshTokens(true);
    const connection = await ground.connect('salesforce');
    const processes = [ground.process(), ground.process()].map(createAccessSources);
    let access = await currentOf(ground.process(), connection);
    for (let round = 0; round < 3; round += 1) {
      const before = salesforce.oauth.counts.refreshed;
      salesforce.oauth.expireAccessTokens();
      const refused = access;
      const given = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          processes[index % 2]?.of(connection.connectionId).renewed(refused, signal()),
        ),
      );
      expect(salesforce.oauth.counts.refreshed - before).toBe(1);
      access = given[0] ?? access;
      expect(given).toEqual(Array(10).fill(access));
      expect(access.accessToken).not.toBe(refused.accessToken);
      expect(salesforce.oauth.isAccepted(access.accessToken)).toBe(true);
    }
    expect(await rowOf(connection.connectionId)).toMatchObject({ tokens_version: 4, renewing_until: null });
  });

  it('is not renewed before its end, nor for a caller with a token that was refused long ago', async () => {
    const connection = await ground.connect('hubspot');
    const before = ground.hubspot.oauth.counts.refreshed;
    ground.aheadMs = 1_700_000;
    const access = await currentOf(ground.process(), connection);
    const sources = createAccessSources(ground.process());
    const old = { ...access, accessToken: 'one of yesterday' };
    expect(await sources.of(connection.connectionId).renewed(old, signal())).toEqual(access);
    expect(ground.hubspot.oauth.counts.refreshed).toBe(before);
  });

  it('has a fault once the CRM says that it was revoked, and stops calling', async () => {
    const connection = await ground.connect('hubspot');
    const sources = createAccessSources(ground.process());
    ground.hubspot.oauth.revokeAll();
    ground.aheadMs = 3_600_000;
    expect(await faultOf(sources.of(connection.connectionId).current(signal()))).toEqual(['revoked', null]);
    const { refused } = ground.hubspot.oauth.counts;
    expect(await faultOf(sources.of(connection.connectionId).current(signal()))).toEqual(['revoked', null]);
    expect(ground.hubspot.oauth.counts.refused).toBe(refused);
    const found = await ground.connections.find(connection.accountId, connection.connectionId);
    expect(found?.fault).toBe('access_revoked');
    expect(ground.told).toContain('lost hubspot access_revoked');
    // Reconnecting the same organization restores the same connection.
    ground.aheadMs = 0;
    const again = await ground.connect('hubspot', {
      accountId: connection.accountId,
      userId: connection.connectedBy,
    });
    expect(again).toMatchObject({ connectionId: connection.connectionId, fault: null });
    const access = await sources.of(connection.connectionId).current(signal());
    expect(ground.hubspot.oauth.isAccepted(access.accessToken)).toBe(true);
  });

  it.each([
    ['away', 503, '', ['away', null]],
    ['busy', 429, '', ['throttled', 10_000]],
    ['out of its mind', 200, '<html>', ['away', null]],
    ['without tokens', 200, '{"access_token":"x"}', ['away', null]],
  ] as const)(
    'waits without a fault while the authorization server is %s',
    async (_what, status, body, fault) => {
      const connection = await ground.connect('salesforce');
      const refused = await currentOf(ground.process(), connection);
      const source = createAccessSources(ground.process()).of(connection.connectionId);
      ground.salesforce.oauth.failTokenCalls(1, status, body);
      expect(await faultOf(source.renewed(refused, signal()))).toEqual(fault);
      expect(await rowOf(connection.connectionId)).toMatchObject({ fault: null, renewing_until: null });
      const access = await source.renewed(refused, signal());
      expect(ground.salesforce.oauth.isAccepted(access.accessToken)).toBe(true);
    },
  );

  it('waits without a fault while the operator’s app is refused', async () => {
    const connection = await ground.connect('salesforce');
    const refused = await currentOf(ground.process(), connection);
    const source = createAccessSources(ground.process()).of(connection.connectionId);
    ground.salesforce.oauth.failTokenCalls(1, 401, '{"error":"invalid_client","error_description":"x"}');
    expect(await faultOf(source.renewed(refused, signal()))).toEqual(['away', null]);
    expect(ground.told).toContain('app refused salesforce invalid_client');
    expect((await source.renewed(refused, signal())).accessToken).not.toBe(refused.accessToken);
  });

  it('is renewed by another process if the first one dies while renewing', async () => {
    const connection = await ground.connect('salesforce');
    const refused = await currentOf(ground.process(), connection);
    // Another process takes the lease and dies.
    await ground.process().tokens.lease(connection.connectionId, 1, 30_000);
    const waits: number[] = [];
    const ports = ground.process();
    const waiting = createAccessSources({
      ...ports,
      async wait(ms) {
        waits.push(ms);
        if (waits.length === 3) {
          await ground.pool.query(
            `UPDATE crm_connection SET renewing_until = clock_timestamp() - interval '1 second' WHERE connection_id = $1`,
            [connection.connectionId],
          );
        }
        await ports.wait(0);
      },
    });
    const before = ground.salesforce.oauth.counts.refreshed;
    const access = await waiting.of(connection.connectionId).renewed(refused, signal());
    expect(waits).toEqual([100, 100, 100]);
    expect(ground.salesforce.oauth.counts.refreshed - before).toBe(1);
    expect(ground.salesforce.oauth.isAccepted(access.accessToken)).toBe(true);
  });

  it.each([
    ['is as good as before', false],
    // Tokens that a process received but could not store before it was killed are lost.
    ['is lost, and the account is told, where the CRM had ended the old refresh token', true],
  ])('after a process was killed while it was renewed %s', async (_what, rotates) => {
    const { salesforce } = ground;
    const connection = await ground.connect('salesforce');
    const { connectionId } = connection;
    const refused = await currentOf(ground.process(), connection);
    salesforce.oauth.rotateRefreshTokens(rotates);
    const child = fork(fileURLToPath(new URL('./renewing-process.ts', import.meta.url)), {
      env: {
        PATH: process.env['PATH'],
        DATABASE_URL: ground.databaseUrl,
        LOGIN_URL: salesforce.baseUrl,
        CONNECTION_ID: connectionId,
        REDIRECT_URI: redirectUri,
        KEY: Buffer.from(testRing[0].key).toString('base64'),
      },
      execArgv: [],
    });
    const gone = once(child, 'exit');
    await whileAnswerIsHeld(
      'salesforce',
      async () => undefined,
      async () => {
        child.kill('SIGKILL');
        expect(await gone).toEqual([null, 'SIGKILL']);
      },
    );
    const { renewing_until: until, tokens_version: version } = await rowOf(connectionId);
    expect([until.getTime() > Date.now(), version]).toEqual([true, 1]);
    await ground.pool.query(
      `UPDATE crm_connection SET renewing_until = clock_timestamp() - interval '1 second' WHERE connection_id = $1`,
      [connectionId],
    );
    const source = createAccessSources(ground.process()).of(connectionId);
    if (rotates) {
      expect(await faultOf(source.renewed(refused, signal()))).toEqual(['revoked', null]);
      expect(await rowOf(connectionId)).toMatchObject({ fault: 'access_revoked' });
    } else {
      const access = await source.renewed(refused, signal());
      expect(salesforce.oauth.isAccepted(access.accessToken)).toBe(true);
    }
  });

  it('gives up when the access is not restored for long', async () => {
    const connection = await ground.connect('salesforce');
    const refused = await currentOf(ground.process(), connection);
    await ground.process().tokens.lease(connection.connectionId, 1, 600_000);
    const ports = { ...ground.process(), wait: async () => undefined };
    const source = createAccessSources(ports).of(connection.connectionId);
    expect(await faultOf(source.renewed(refused, signal()))).toEqual(['away', null]);
  });

  it('is kept although the caller that asked for it has gone', async () => {
    ground.salesforce.oauth.rotateRefreshTokens(true);
    const connection = await ground.connect('salesforce');
    const refused = await currentOf(ground.process(), connection);
    const sources = createAccessSources(ground.process());
    const leaving = new AbortController();
    const outcome = await whileAnswerIsHeld(
      'salesforce',
      () => sources.of(connection.connectionId).renewed(refused, leaving.signal),
      async () => leaving.abort(new Error('gone')),
    );
    expect(outcome).toMatchObject({ status: 'rejected', reason: { message: 'gone' } });
    await sources.close();
    const access = await currentOf(ground.process(), connection);
    expect(ground.salesforce.oauth.isAccepted(access.accessToken)).toBe(true);
  });

  it('is kept when the database is away for a moment', async () => {
    ground.salesforce.oauth.rotateRefreshTokens(true);
    const connection = await ground.connect('salesforce');
    const refused = await currentOf(ground.process(), connection);
    const ports = ground.process();
    let failures = 2;
    const tokens = {
      ...ports.tokens,
      replace: async (...args: Parameters<typeof ports.tokens.replace>) => {
        failures -= 1;
        if (failures >= 0) {
          throw new Error('the database is away');
        }
        return ports.tokens.replace(...args);
      },
    };
    const sources = createAccessSources({ ...ports, tokens });
    await sources.of(connection.connectionId).renewed(refused, signal());
    const access = await currentOf(ground.process(), connection);
    expect(ground.salesforce.oauth.isAccepted(access.accessToken)).toBe(true);
  });

  it('wins over the fault that a second process recorded while the first was slow', async () => {
    ground.salesforce.oauth.rotateRefreshTokens(true);
    const connection = await ground.connect('salesforce');
    const { connectionId } = connection;
    const refused = await currentOf(ground.process(), connection);
    const outcome = await whileAnswerIsHeld(
      'salesforce',
      () => createAccessSources(ground.process()).of(connectionId).renewed(refused, signal()),
      async () => {
        ground.salesforce.oauth.holdTokenAnswers(Promise.resolve());
        await ground.pool.query('UPDATE crm_connection SET renewing_until = NULL WHERE connection_id = $1', [
          connectionId,
        ]);
        const second = createAccessSources(ground.process()).of(connectionId);
        expect(await faultOf(second.renewed(refused, signal()))).toEqual(['revoked', null]);
        expect(await rowOf(connectionId)).toMatchObject({ fault: 'access_revoked' });
      },
    );
    expect(outcome.status).toBe('fulfilled');
    expect(await rowOf(connectionId)).toMatchObject({ fault: null, tokens_version: 2 });
  });

  it('is revoked when the connection was removed meanwhile', async () => {
    const connection = await ground.connect('salesforce');
    const refused = await currentOf(ground.process(), connection);
    const before = ground.salesforce.oauth.counts.revoked;
    const outcome = await whileAnswerIsHeld(
      'salesforce',
      () => createAccessSources(ground.process()).of(connection.connectionId).renewed(refused, signal()),
      async () => {
        await ground.pool.query('DELETE FROM crm_connection WHERE connection_id = $1', [
          connection.connectionId,
        ]);
      },
    );
    expect(outcome).toMatchObject({ status: 'rejected', reason: { kind: 'revoked' } });
    expect(ground.salesforce.oauth.counts.revoked - before).toBe(1);
  });

  it('has a fault where what gives it cannot be read', async () => {
    const connection = await ground.connect('hubspot');
    const other = await ground.connect('hubspot');
    // A process with write access to the table copies sealed tokens from one connection to another.
    await ground.pool.query(
      `UPDATE crm_connection SET sealed_tokens = (SELECT sealed_tokens FROM crm_connection WHERE connection_id = $2)
       WHERE connection_id = $1`,
      [connection.connectionId, other.connectionId],
    );
    expect(await faultOf(currentOf(ground.process(), connection))).toEqual(['revoked', null]);
    expect(await rowOf(connection.connectionId)).toMatchObject({ fault: 'not_readable' });
    expect(await disconnect(ground.ports, connection.accountId, connection.connectionId)).toEqual({
      isRevoked: false,
    });
  });

  it('notes its use, to the minute', async () => {
    const connection = await ground.connect('hubspot');
    await currentOf(ground.process(), connection);
    const first = (await rowOf(connection.connectionId)).last_used_at;
    await currentOf(ground.process(), connection);
    expect((await rowOf(connection.connectionId)).last_used_at).toEqual(first);
    ground.aheadMs = 61_000;
    await currentOf(ground.process(), connection);
    expect((await rowOf(connection.connectionId)).last_used_at.getTime()).toBeGreaterThan(first.getTime());
  });
});
