import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  columnsOfSchema,
  createTestDatabase,
  type TestDatabase,
  type TestServiceKeys,
  testRedisUrl,
  testServiceKeys,
} from '@mailproof/dev-house';
import {
  accountTableFaults,
  createTokenSigner,
  openPostgres,
  type PrivateServiceKey,
  type Service,
} from '@mailproof/service-kit';
import {
  type AccountId,
  type AssistantId,
  type ExportedRow,
  limits,
  listAssistants,
  newId,
  type ServiceName,
  type UserId,
} from '@mailproof/shared-types';
import type { Pool } from 'pg';
import request from 'supertest';
import { accountTables, tablesWithoutAccount } from '../src/adapters/postgres/account-tables.ts';
import { createEndAssistants } from '../src/adapters/postgres/assistant-store.ts';
import { compose } from '../src/compose.ts';
import { loadConfig } from '../src/config.ts';

const start = new Date('2026-03-01T12:00:00Z');
const after = (ms: number) => new Date(start.getTime() + ms);
const dayMs = 86_400_000;
/** The service's current time. */
const now = after(dayMs);

let database: TestDatabase;
let pool: Pool;
let keys: TestServiceKeys;
let toolServer: Service;

beforeAll(async () => {
  database = await createTestDatabase('mcp-server');
  pool = openPostgres({
    connectionString: database.databaseUrl,
    schema: 'mcp',
    applicationName: 'assistant-routes-test',
    connectionsMax: 4,
    onIdleError: () => undefined,
  });
  keys = await testServiceKeys();
  const ring = `one:${Buffer.alloc(32, 1).toString('base64')}`;
  const config = loadConfig({
    DATABASE_URL: database.databaseUrl,
    REDIS_URL: await testRedisUrl('mcp-server'),
    // None of these tests calls the gateway.
    GATEWAY_URL: 'http://127.0.0.1:9',
    MCP_PUBLIC_BASE_URL: 'http://127.0.0.1:9',
    PUBLIC_BASE_URL: 'http://127.0.0.1:9',
    OAUTH_ENCRYPTION_KEYS: ring,
    PORT: '0',
    INTERNAL_PORT: '0',
    LOG_LEVEL: 'silent',
    ...keys.settingsOf('mcp-server'),
  });
  toolServer = await compose(config, { now: () => now });
});

afterAll(async () => {
  await toolServer?.stop();
  await pool?.end();
  await database?.drop();
});

async function ask(method: 'get' | 'post' | 'delete', path: string, body?: object, caller?: ServiceName) {
  const sign = await createTokenSigner(keys.signingKeys[caller ?? 'gateway'] as PrivateServiceKey);
  const asked = request(toolServer.app)
    [method](`/internal/v1${path}`)
    .set('authorization', `Bearer ${await sign('mcp-server')}`);
  return body ? asked.send(body) : asked;
}

interface Owner {
  readonly accountId: AccountId;
  readonly userId: UserId;
}

const owner = (accountId: AccountId = newId('account')): Owner => ({ accountId, userId: newId('user') });

async function connect(
  { accountId, userId }: Owner,
  facts: { connectedAt?: Date; lastUsedAt?: Date; expiresAt?: Date; scopes?: string[] } = {},
): Promise<AssistantId> {
  const assistantId = newId('assistant');
  await pool.query(
    `INSERT INTO assistant (assistant_id, account_id, user_id, client_id, client_name, redirect_host, scopes,
       connected_at, last_used_at, expires_at)
     VALUES ($1, $2, $3, 'client of ' || $1::text, 'A client', 'client.example', $4, $5, $6, $7)`,
    [
      assistantId,
      accountId,
      userId,
      facts.scopes ?? ['account.read'],
      facts.connectedAt ?? start,
      facts.lastUsedAt ?? null,
      facts.expiresAt ?? after(30 * dayMs),
    ],
  );
  await pool.query(
    `INSERT INTO refresh_token (token_sha256, assistant_id, sealed_token, consumed_at, expires_at)
     VALUES (sha256($1), $2, 'SEALED-TOKEN', NULL, $3)`,
    [Buffer.from(assistantId), assistantId, after(30 * dayMs)],
  );
  return assistantId;
}

async function list({ accountId }: Pick<Owner, 'accountId'>, userId?: UserId) {
  const { body, status } = await ask(
    'get',
    `/accounts/${accountId}/assistants${userId ? `?userId=${userId}` : ''}`,
  );
  expect(status).toBe(200);
  return listAssistants.success.schema.parse(body).assistants;
}

const idsOf = async (of: Pick<Owner, 'accountId'>, userId?: UserId) =>
  (await list(of, userId)).map(({ assistantId }) => assistantId);

async function refreshTokensOf(assistantId: AssistantId): Promise<number> {
  const found = await pool.query('SELECT 1 FROM refresh_token WHERE assistant_id = $1', [assistantId]);
  return found.rowCount ?? 0;
}

describe('the tool server’s description of its tables', () => {
  it('covers every column that there is', async () => {
    const columns = await columnsOfSchema(database.ownerUrl);
    expect(accountTableFaults(columns, accountTables, tablesWithoutAccount)).toEqual([]);
    for (const table of Object.keys(tablesWithoutAccount)) {
      expect(columns.get(table)?.filter(column => /account_id|user_id/.test(column))).toEqual([]);
    }
  });
});

describe('list-assistants', () => {
  it('lists the account’s assistants or one user’s, the newest first, without what is over', async () => {
    const ada = owner();
    const ben = owner(ada.accountId);
    const first = await connect(ada, {
      lastUsedAt: after(60_000),
      scopes: ['validation.run', 'of a newer release'],
    });
    const second = await connect(ben, { connectedAt: after(1) });
    await connect(ada, { expiresAt: now });
    await connect(owner());
    expect(await list(ada)).toEqual([
      {
        assistantId: second,
        userId: ben.userId,
        clientName: 'A client',
        redirectHost: 'client.example',
        scopes: ['account.read'],
        userAgent: '',
        connectedAt: after(1).toISOString(),
        lastUsedAt: null,
      },
      expect.objectContaining({
        assistantId: first,
        userId: ada.userId,
        scopes: ['validation.run'],
        lastUsedAt: after(60_000).toISOString(),
      }),
    ]);
    expect(await idsOf(ada, ada.userId)).toEqual([first]);
    expect((await ask('get', `/accounts/${ada.accountId}/assistants`)).body).toMatchObject({
      address: expect.stringMatching(/^https?:.+\/mcp$/),
    });
    expect(await idsOf(owner())).toEqual([]);
  });

  it('shows the newest of more than it can show', async () => {
    const ada = owner();
    await pool.query(
      `INSERT INTO assistant SELECT 'asst_' || md5($1 || n), $1, $2, 'client ' || n, 'A client', 'host', '{}',
         $3::timestamptz + n * interval '1 second', NULL, $3::timestamptz + interval '30 days'
       FROM generate_series(1, ${limits.assistantsListedMax + 1}) AS n`,
      [ada.accountId, ada.userId, start],
    );
    const shown = await list(ada);
    expect(shown).toHaveLength(limits.assistantsListedMax);
    expect(shown.at(-1)?.connectedAt).toBe(after(2_000).toISOString());
  });
});

describe('disconnect-assistant', () => {
  const disconnect = async ({ accountId }: Owner, assistantId: AssistantId, userId?: UserId) =>
    (
      await ask(
        'delete',
        `/accounts/${accountId}/assistants/${assistantId}${userId ? `?userId=${userId}` : ''}`,
      )
    ).body;

  it('ends the assistant with its refresh tokens, once', async () => {
    const ada = owner();
    const [ended, kept] = [await connect(ada), await connect(ada)];
    expect(await disconnect(ada, ended)).toEqual({ disconnected: 1 });
    expect(await disconnect(ada, ended)).toEqual({ disconnected: 0 });
    expect(await idsOf(ada)).toEqual([kept]);
    expect([await refreshTokensOf(ended), await refreshTokensOf(kept)]).toEqual([0, 1]);
  });

  it('ends no assistant of another account, or of another user if one is given', async () => {
    const ada = owner();
    const assistantId = await connect(ada);
    expect(await disconnect(owner(), assistantId)).toEqual({ disconnected: 0 });
    expect(await disconnect(ada, assistantId, newId('user'))).toEqual({ disconnected: 0 });
    expect(await idsOf(ada)).toEqual([assistantId]);
    expect(await disconnect(ada, assistantId, ada.userId)).toEqual({ disconnected: 1 });
  });
});

describe('disconnect-user', () => {
  it('ends what the user had connected until the moment, and nothing else', async () => {
    const ada = owner();
    const ben = owner(ada.accountId);
    await connect(ada);
    await connect(ada, { connectedAt: after(10) });
    const later = await connect(ada, { connectedAt: after(11) });
    const bens = await connect(ben);
    const body = { ...ada, until: after(10).toISOString() };
    expect((await ask('post', '/disconnected-users', body)).body).toEqual({ disconnected: 2 });
    expect((await ask('post', '/disconnected-users', body)).body).toEqual({ disconnected: 0 });
    expect(await idsOf(ada)).toEqual([later, bens]);
  });
});

describe('export-account-assistants', () => {
  it('answers every row of the account, and no secret or row of another', async () => {
    const ada = owner();
    const assistantId = await connect(ada);
    await connect(owner());
    const { body } = await ask('get', `/accounts/${ada.accountId}/export`);
    const rows = body.rows as ExportedRow[];
    expect(rows.map(({ table }) => table)).toEqual(['assistant', 'refresh_token']);
    expect(rows.every(({ row }) => row['assistant_id'] === assistantId)).toBe(true);
    expect(rows[0]?.row).toMatchObject({ client_name: 'A client', scopes: ['account.read'] });
    expect(JSON.stringify(body)).not.toMatch(/SEALED|sha256|\\\\x/);
  });

  it('continues over pages, and refuses a cursor that it has not issued', async () => {
    const ada = owner();
    const count = limits.exportPageRowsMax;
    const first = await connect(ada);
    await pool.query(
      `INSERT INTO refresh_token SELECT sha256(($1::text || n)::bytea), $1, '', NULL, $2
       FROM generate_series(1, ${count}) AS n`,
      [first, after(dayMs)],
    );
    const path = `/accounts/${ada.accountId}/export`;
    const one = (await ask('get', path)).body;
    const two = (await ask('get', `${path}?cursor=${one.nextCursor}`)).body;
    expect([one.rows.length, two.rows.length, two.nextCursor]).toEqual([count, 2, undefined]);
    expect((await ask('get', `${path}?cursor=nothing`)).body.code).toBe('invalid_cursor');
  });
});

describe('forget-account-assistants', () => {
  it('deletes all data of the account, and none of others', async () => {
    const ada = owner();
    const gone = [await connect(ada), await connect(owner(ada.accountId), { expiresAt: start })];
    const other = owner();
    const kept = await connect(other);
    expect((await ask('post', '/forgotten-accounts', { accountId: ada.accountId })).body).toEqual({
      deleted: 2,
    });
    expect((await ask('get', `/accounts/${ada.accountId}/export`)).body.rows).toEqual([]);
    expect(await Promise.all(gone.map(refreshTokensOf))).toEqual([0, 0]);
    expect(await idsOf(other)).toEqual([kept]);
  });
});

describe('every operation', () => {
  it('is for the gateway alone', async () => {
    const accountId = newId('account');
    const asked = [
      ['get', `/accounts/${accountId}/assistants`],
      ['delete', `/accounts/${accountId}/assistants/${newId('assistant')}`],
      ['post', '/disconnected-users', { accountId, userId: newId('user'), until: start.toISOString() }],
      ['get', `/accounts/${accountId}/export`],
      ['post', '/forgotten-accounts', { accountId }],
    ] as const;
    for (const [method, path, body] of asked) {
      expect((await ask(method, path, body)).status).toBe(200);
      expect((await ask(method, path, body, 'credit-ledger')).body.code).toBe('caller_not_allowed');
      const bare = await request(toolServer.app)[method](`/internal/v1${path}`);
      expect(bare.body.code).toBe('invalid_service_token');
    }
  });

  it('ends nothing when no account or assistant is named', async () => {
    const ada = owner();
    await connect(ada);
    const end = createEndAssistants(pool);
    await expect(end({ userId: ada.userId } as unknown as Parameters<typeof end>[0])).rejects.toThrow();
    expect(await list(ada)).toHaveLength(1);
  });
});
