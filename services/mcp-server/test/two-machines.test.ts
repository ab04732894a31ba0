import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AssistantId, limits, newId } from '@mailproof/shared-types';
import { decodeJwt } from 'jose';
import { createEndAssistants, createListAssistants } from '../src/adapters/postgres/assistant-store.ts';
import { type DocumentSite, openDocumentSite } from './document-site.ts';
import {
  assistantsOf,
  authorizationPath,
  type Connection,
  connect,
  exchange,
  newProof,
  postForm,
  refresh,
  register,
  type Tokens,
} from './oauth-steps.ts';
import { signIn, TestBrowser } from './page-browser.ts';
import { person, startToolServers, type ToolServers } from './tool-server.ts';

let site: DocumentSite;
let origin: string;
let servers: ToolServers;
/** How far the service's clock is ahead. */
let aheadMs = 0;

beforeAll(async () => {
  site = await openDocumentSite();
  ({ origin } = site);
  const now = () => new Date(Date.now() + aheadMs);
  servers = await startToolServers({ overrides: { extraCa: site.ca, now } });
});

afterAll(async () => {
  await servers?.stop();
  await site?.close();
});

describe('one metadata document on two machines', () => {
  const { accountId, userId } = person;
  const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0';
  const safari = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/26.0 Safari/605.1.15';
  let clients = 0;

  /** Connects a client on two machines of one user, in the browser of each. */
  async function connectTwice() {
    clients += 1;
    const clientId = `${origin}/two-${clients}.json`;
    const desktop = new TestBrowser(servers, firefox);
    const laptop = new TestBrowser(servers, safari);
    const one = await connect(servers, { clientId, browser: desktop });
    return { clientId, desktop, one, other: await connect(servers, { clientId, browser: laptop }) };
  }

  const listed = async (connections: readonly Connection[]) => {
    const ids = connections.map(idOf);
    const all = await createListAssistants(servers.pool)(accountId, userId, new Date());
    return all.filter(({ assistantId }) => ids.includes(assistantId));
  };
  const idOf = ({ access_token }: Pick<Tokens, 'access_token'>) =>
    decodeJwt(access_token)['assistant_id'] as AssistantId;
  const works = async (connection: Connection) => (await refresh(servers, connection)).status === 200;
  const signOut = ({ clientId, refresh_token }: Connection) =>
    postForm(servers, '/revoke', { client_id: clientId, token: refresh_token });
  const end = (listedAs: AssistantId) => createEndAssistants(servers.pool)({ accountId, userId, listedAs });

  it('is two assistants with different browsers, and each is disconnected separately', async () => {
    const { one, other } = await connectTwice();
    expect(await listed([one, other])).toMatchObject([
      { assistantId: idOf(other), clientName: 'Editor', redirectHost: '127.0.0.1', userAgent: safari },
      { assistantId: idOf(one), clientName: 'Editor', redirectHost: '127.0.0.1', userAgent: firefox },
    ]);
    expect(await end(idOf(other))).toBe(1);
    expect([await works(other), await works(one)]).toEqual([false, true]);
  });

  it('stays connected on one when it signs out on the other', async () => {
    const { one, other } = await connectTwice();
    expect((await signOut(other)).status).toBe(200);
    expect([await works(other), await works(one)]).toEqual([false, true]);
  });

  it('stays connected on one when a code of the other is used twice', async () => {
    const { clientId, one, other } = await connectTwice();
    const { code, verifier } = other;
    expect((await exchange(servers, clientId, code, verifier)).status).toBe(400);
    expect([await works(other), await works(one)]).toEqual([false, true]);
  });

  it('stays connected on one when an old refresh token of the other is replayed', async () => {
    const { one, other } = await connectTwice();
    let latest = other;
    for (let turns = 0; turns < 2; turns += 1) {
      const response = await refresh(servers, latest);
      latest = { ...latest, ...((await response.json()) as Tokens) };
    }
    aheadMs = 3_600_000;
    expect((await refresh(servers, other)).status).toBe(400);
    expect([await works(latest), await works(one)]).toEqual([false, true]);
  });

  it('is listed once for a browser in which it is connected again, with the scopes of all its grants', async () => {
    const { clientId, desktop, one, other } = await connectTwice();
    const parameters = { scope: 'account.read' };
    const again = await connect(servers, { clientId, browser: desktop, parameters });
    expect(await listed([one, other, again])).toMatchObject([
      { assistantId: idOf(again), userAgent: firefox, scopes: ['account.read', 'validation.run'] },
      { assistantId: idOf(other), userAgent: safari },
    ]);
    expect(again.scope).toBe('account.read');
  });

  it('stays connected in a second program on the same machine when the first signs out', async () => {
    const { clientId, desktop, one, other } = await connectTwice();
    const second = await connect(servers, { clientId, browser: desktop });
    await signOut(one);
    expect([await works(one), await works(second)]).toEqual([false, true]);
    // The list shows both as one assistant of that browser, and disconnecting it ends both.
    const third = await connect(servers, { clientId, browser: desktop });
    expect(await end(idOf(third))).toBe(2);
    expect(await listed([second, third, other])).toMatchObject([{ assistantId: idOf(other) }]);
    expect(await works(other)).toBe(true);
  });

  it('has a limit of grants in one browser, and ends no grant of another', async () => {
    const { clientId, desktop, one, other } = await connectTwice();
    for (let n = 0; n < limits.grantsPerAssistantMax; n += 1) {
      await connect(servers, { clientId, browser: desktop });
    }
    expect([await works(one), await works(other)]).toEqual([false, true]);
    expect(await assistantsOf(servers, clientId)).toBe(limits.grantsPerAssistantMax + 1);
  });

  it('stores nothing that would let one browser pass as another', async () => {
    const { desktop, one } = await connectTwice();
    const device = desktop.cookies.get('__Host-mailproof_device') ?? '';
    const { rows } = await servers.pool.query<{ device: Buffer; row: string }>(
      'SELECT device_sha256 AS device, assistant::text AS row FROM assistant WHERE assistant_id = $1',
      [idOf(one)],
    );
    expect(rows[0]?.device).toEqual(createHash('sha256').update(device).digest());
    expect(rows[0]?.row).not.toContain(device);
  });
});

describe('the previous release', () => {
  it('connects with its own statement next to grants of this one, and extends only its own', async () => {
    const clientId = `${origin}/earlier.json`;
    const browser = new TestBrowser(servers);
    const rows = [
      await connect(servers, { clientId, browser }),
      await connect(servers, { clientId, browser }),
    ];
    const earlier = (assistantId: string) =>
      servers.pool.query<{ assistant_id: string }>(
        `INSERT INTO assistant AS kept (assistant_id, account_id, user_id, client_id, client_name, redirect_host, scopes,
           connected_at, expires_at)
         VALUES ($1, $2, $3, $4, 'Editor', '127.0.0.1', '{account.read}', now(), now() + interval '1 day')
         ON CONFLICT (user_id, client_id, redirect_host) DO UPDATE SET
           account_id = EXCLUDED.account_id,
           client_name = EXCLUDED.client_name,
           scopes = ARRAY(SELECT DISTINCT unnest(kept.scopes || EXCLUDED.scopes) ORDER BY 1),
           expires_at = greatest(kept.expires_at, EXCLUDED.expires_at)
         RETURNING assistant_id`,
        [assistantId, person.accountId, person.userId, clientId],
      );
    const made = newId('assistant');
    expect((await earlier(made)).rows).toEqual([{ assistant_id: made }]);
    expect((await earlier(newId('assistant'))).rows).toEqual([{ assistant_id: made }]);
    expect(await assistantsOf(servers, clientId)).toBe(rows.length + 1);
    const all = await createListAssistants(servers.pool)(person.accountId, person.userId, new Date());
    expect(all.find(({ assistantId }) => assistantId === made)).toMatchObject({
      redirectHost: '127.0.0.1',
      userAgent: '',
    });
    const end = createEndAssistants(servers.pool);
    expect(await end({ accountId: person.accountId, listedAs: made })).toBe(1);
  });
});

describe('the device cookie', () => {
  const name = '__Host-mailproof_device';
  const deviceAfterSignIn = async (browser: TestBrowser) => {
    const page = await browser.open(authorizationPath(await register(servers), newProof()));
    await signIn(browser, page);
    return browser.cookies.get(name);
  };

  it('is set only for a right password, even if the plan allows no assistant, and stays the same', async () => {
    const browser = new TestBrowser(servers);
    const page = await browser.open(authorizationPath(await register(servers), newProof()));
    await browser.submit(page, '/sign-in', { email: person.email, password: 'wrong' });
    expect(browser.cookies.has(name)).toBe(false);
    servers.gateway.access = 'no_active_plan';
    const device = await deviceAfterSignIn(browser);
    servers.gateway.access = 'ready';
    expect(device).toBeDefined();
    expect(await deviceAfterSignIn(browser)).toBe(device);
    expect(await deviceAfterSignIn(new TestBrowser(servers))).not.toBe(device);
  });

  it.each(['x'.repeat(limits.deviceCharactersMax + 1), 'a"b', '', 'ä'])(
    'is not handed on to the gateway when it cannot be ours: %j',
    async planted => {
      const browser = new TestBrowser(servers);
      browser.cookies.set(name, planted);
      expect(await deviceAfterSignIn(browser)).toMatch(/^[0-9a-f-]{36}$/);
    },
  );
});
