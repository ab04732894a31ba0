import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type AssistantId,
  disconnectAssistantSignedIn,
  listConnectedAssistants,
  listSecurityEvents,
  newId,
  oauthScopes,
} from '@mailproof/shared-types';
import pg from 'pg';
import { accounting, openTestHouse, type Person, type TestHouse, testPassword } from '../house.ts';
import { describeOperation } from '../operation-suite.ts';
import { until } from '../until.ts';

const connectedAt = new Date('2026-03-01T12:00:00Z');

let test: TestHouse;
let toolServerDatabase: pg.Pool;

beforeAll(async () => {
  test = await openTestHouse({
    killable: ['mcp-server'],
    only: [...accounting, 'mcp-server'],
    replicas: { gateway: 2 },
    env: { gateway: { AUTH_FAILURES_PER_MINUTE_MAX: '10000', SESSION_REQUESTS_PER_SECOND_MAX: '1000' } },
  });
  toolServerDatabase = new pg.Pool({
    connectionString: test.house.databaseUrls['mcp']?.databaseUrl ?? '',
    options: '-c search_path=mcp',
    max: 2,
  });
});

afterAll(async () => {
  await toolServerDatabase?.end();
  await test?.stop();
});

const newOwner = async () => (await test.owner()).signIn();

/** Connects an assistant as the consent page would; the tool server's tests cover that page. */
async function connect({ accountId, userId }: Person, at = connectedAt): Promise<AssistantId> {
  const assistantId = newId('assistant');
  await toolServerDatabase.query(
    `INSERT INTO assistant (assistant_id, account_id, user_id, client_id, client_name, redirect_host, scopes,
       connected_at, last_used_at, expires_at)
     VALUES ($1, $2, $3, 'client of ' || $1::text, 'A client', 'client.example', '{account.read,validation.run}', $4, NULL,
       now() + interval '1 day')`,
    [assistantId, accountId, userId, at],
  );
  return assistantId;
}

const listOf = async (person: Person) =>
  listConnectedAssistants.success.schema.parse((await person.get('/assistants')).body).assistants;

const idsOf = async (person: Person) => (await listOf(person)).map(({ assistant_id }) => assistant_id);

const eventsOf = async (owner: Person) =>
  listSecurityEvents.success.schema.parse((await owner.get('/security-events')).body).events;

const untilNone = (person: Person) =>
  until(
    'the end of the assistants',
    () => idsOf(person),
    ids => ids.length === 0,
  );

describeOperation(listConnectedAssistants, {
  async success() {
    const owner = await newOwner();
    const member = await test.member(owner);
    const own = await connect(owner);
    const members = await connect(member, new Date(connectedAt.getTime() + 1));
    expect(await listOf(owner)).toEqual([
      {
        assistant_id: members,
        user_id: member.userId,
        email: member.email,
        client_name: 'A client',
        redirect_host: 'client.example',
        scopes: [
          { scope: 'account.read', description: oauthScopes['account.read'] },
          { scope: 'validation.run', description: oauthScopes['validation.run'] },
        ],
        user_agent: '',
        connected_at: new Date(connectedAt.getTime() + 1).toISOString(),
        last_used_at: null,
      },
      expect.objectContaining({ assistant_id: own, user_id: owner.userId, email: owner.email }),
    ]);
    expect(await idsOf(member)).toEqual([members]);
    expect((await member.get('/assistants')).body['address']).toBe(`${test.house.toolServerUrls[0]}/mcp`);
  },
  async badInput() {
    expect((await (await newOwner()).get('/assistants?more=1')).body['code']).toBe('invalid_request');
  },
  async noCredentials() {
    expect(await test.stranger().get('/assistants')).toMatchObject({
      status: 401,
      body: { code: 'not_signed_in' },
    });
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(), await newOwner()];
    await connect(one);
    expect(await listOf(other)).toEqual([]);
  },
});

describeOperation(disconnectAssistantSignedIn, {
  async success() {
    const owner = await newOwner();
    const member = await test.member(owner);
    const [own, kept, members] = [await connect(owner), await connect(owner), await connect(member)];
    expect(await owner.delete(`/assistants/${own}`)).toMatchObject({ status: 200, body: { done: true } });
    expect((await owner.delete(`/assistants/${own}`)).body['code']).toBe('assistant_not_found');
    expect((await member.delete(`/assistants/${kept}`)).body['code']).toBe('assistant_not_found');
    expect((await owner.delete(`/assistants/${members}`)).status).toBe(200);
    expect(await idsOf(owner)).toEqual([kept]);
    const another = await connect(member);
    expect((await member.delete(`/assistants/${another}`)).status).toBe(200);
    expect((await eventsOf(owner)).slice(0, 3)).toMatchObject([
      { kind: 'assistant_disconnected', user_id: member.userId, details: { assistant_id: another } },
      {
        kind: 'assistant_disconnected',
        user_id: owner.userId,
        details: { assistant_id: members, member_id: member.userId },
      },
      { kind: 'assistant_disconnected', user_id: owner.userId, details: { assistant_id: own } },
    ]);
  },
  async badInput() {
    const owner = await newOwner();
    expect((await owner.delete('/assistants/x')).body['code']).toBe('invalid_request');
    expect(await owner.delete(`/assistants/${newId('assistant')}`)).toMatchObject({
      status: 404,
      body: { code: 'assistant_not_found' },
    });
  },
  async noCredentials() {
    expect(await test.stranger().delete(`/assistants/${newId('assistant')}`)).toMatchObject({
      status: 401,
      body: { code: 'not_signed_in' },
    });
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(), await newOwner()];
    const assistantId = await connect(one);
    expect(await other.delete(`/assistants/${assistantId}`)).toMatchObject({
      status: 404,
      body: { code: 'assistant_not_found' },
    });
    expect(await idsOf(one)).toEqual([assistantId]);
    expect((await eventsOf(other)).map(({ kind }) => kind)).not.toContain('assistant_disconnected');
  },
});

describe('a user’s assistants end', () => {
  const next = 'another password for tests';

  it('with a change of the password', async () => {
    const owner = await newOwner();
    await connect(owner);
    await owner.put('/password', { current_password: testPassword, new_password: next });
    expect(await untilNone(owner)).toEqual([]);
  });

  it('with a reset of the password', async () => {
    const owner = await newOwner();
    await connect(owner);
    await owner.post('/password-resets', { email: owner.email });
    const { token } = await test.mail(owner.email);
    const reset = await owner.post('/password-resets/confirmation', { token, password: next });
    expect(reset.status).toBe(200);
    await owner.signIn(next);
    expect(await untilNone(owner)).toEqual([]);
  });

  it('when they sign out everywhere, and no other user’s do', async () => {
    const owner = await newOwner();
    const member = await test.member(owner);
    await connect(owner);
    const members = await connect(member);
    await owner.delete('/sessions');
    await owner.signIn();
    expect(
      await until(
        'the end of the owner’s',
        () => idsOf(owner),
        ids => ids.length === 1,
      ),
    ).toEqual([members]);
  });

  it('when they are removed from the account', async () => {
    const owner = await newOwner();
    const member = await test.member(owner);
    await connect(member);
    const own = await connect(owner);
    expect((await owner.delete(`/members/${member.userId}`)).status).toBe(200);
    expect(
      await until(
        'the end of the member’s',
        () => idsOf(owner),
        ids => ids.length === 1,
      ),
    ).toEqual([own]);
  });

  it('although the tool server is away meanwhile; what is connected afterward stays', async () => {
    const toolServer = test.house.services['mcp-server'];
    const owner = await newOwner();
    const before = await connect(owner);
    await toolServer?.kill('SIGKILL');
    expect((await owner.delete('/sessions')).status).toBe(200);
    await owner.signIn();
    for (const answer of [await owner.get('/assistants'), await owner.delete(`/assistants/${before}`)]) {
      expect(answer).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
      expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
    }
    const afterward = await connect(owner, new Date(Date.now() + 1_000));
    await toolServer?.restart();
    expect(
      await until(
        'the end of the first',
        () => idsOf(owner),
        ids => ids.length === 1,
        30_000,
      ),
    ).toEqual([afterward]);
  });
});
