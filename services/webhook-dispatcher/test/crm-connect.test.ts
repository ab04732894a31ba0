import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createSealer, type KeyRing } from '@mailproof/service-kit';
import { type AccountId, newId } from '@mailproof/shared-types';
import {
  createCrmConnectionStore,
  createCrmSignInStore,
  sealedCrmVerifierType,
} from '../src/adapters/postgres/crm-connection-store.ts';
import {
  createCrmTokenStore,
  resealCrmTokens,
  sealedCrmTokensType,
} from '../src/adapters/postgres/crm-token-store.ts';
import {
  beginConnection,
  type Connecting,
  completeConnection,
  disconnect,
  forgetConnections,
} from '../src/domain/crm/connections/connect.ts';
import { type CrmGround, openCrmGround, ringOf, someone, testRing } from './crm-ground.ts';

let ground: CrmGround;

beforeAll(async () => {
  ground = await openCrmGround();
});

afterAll(() => ground?.close());

beforeEach(() => {
  ground.told.length = 0;
  ground.aheadMs = 0;
  ground.hubspot.oauth.answerPeopleWith('allow');
});

const signal = () => AbortSignal.timeout(20_000);

/** What a browser brings back from a CRM. */
async function returnFromCrm(who: Connecting, provider: 'hubspot' | 'salesforce' = 'hubspot') {
  const started = await beginConnection(ground.ports, who, provider);
  const given = await ground.visit(started.kind === 'started' ? started.authorizationUrl : '');
  return { state: given.get('state') ?? '', code: given.get('code') ?? '' };
}

describe('connecting a CRM', () => {
  it('requests the scopes of the app, with a challenge, and returns the organization', async () => {
    const who = someone();
    const started = await beginConnection(ground.ports, who, 'salesforce');
    const url = new URL(started.kind === 'started' ? started.authorizationUrl : '');
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: 'code',
      client_id: 'lab-client',
      redirect_uri: 'http://127.0.0.1:9/crm/callback',
      scope: 'api refresh_token',
      code_challenge_method: 'S256',
    });
    const salesforce = await ground.connect('salesforce', who);
    expect(salesforce).toMatchObject({
      ...{ accountId: who.accountId, connectedBy: who.userId, provider: 'salesforce', fault: null },
      organizationId: ground.salesforce.organizationId,
      organizationName: 'Ordinary Limited',
    });
    const hubspot = await ground.connect('hubspot', who);
    expect(hubspot).toMatchObject({
      organizationId: String(ground.hubspot.portalId),
      organizationName: 'ordinary.example',
    });
    expect(await ground.connections.list(who.accountId)).toEqual([hubspot, salesforce]);
    expect(await ground.connections.list(newId('account') as AccountId)).toEqual([]);
  });

  it('takes what a browser brings once, of who began, for ten minutes', async () => {
    const who = someone();
    const colleague = someone(who.accountId);
    const complete = async (by: Connecting, answer: { state: string; code: string }) =>
      (await completeConnection(ground.ports, by, answer, signal())).kind;
    const answer = await returnFromCrm(who);
    expect(await complete(someone(), answer)).toBe('not_valid');
    expect(await complete(colleague, answer)).toBe('not_valid');
    expect(await complete(who, { ...answer, state: `${answer.state}x` })).toBe('not_valid');
    expect(await complete(who, answer)).toBe('connected');
    expect(await complete(who, answer)).toBe('not_valid');
    const late = await returnFromCrm(who);
    ground.aheadMs = 600_001;
    expect(await complete(who, late)).toBe('not_valid');
    await ground.signIns.deleteExpired(ground.ports.now());
    const { rows } = await ground.pool.query('SELECT FROM crm_sign_in');
    expect(rows).toEqual([]);
  });

  it('refuses a code that is not known to the CRM, or was asked for with another challenge', async () => {
    const who = someone();
    const [first, second] = [await returnFromCrm(who), await returnFromCrm(who)];
    const mixed = await completeConnection(ground.ports, who, { ...first, code: second.code }, signal());
    expect(mixed).toEqual({ kind: 'denied', error: 'invalid_grant' });
    const made = await completeConnection(ground.ports, who, { ...second, code: 'made up' }, signal());
    expect(made).toEqual({ kind: 'denied', error: 'invalid_grant' });
    expect(await ground.connections.list(who.accountId)).toEqual([]);
  });

  it('connects nothing when the user refuses', async () => {
    const who = someone();
    ground.hubspot.oauth.answerPeopleWith('deny');
    const started = await beginConnection(ground.ports, who, 'hubspot');
    const given = await ground.visit(started.kind === 'started' ? started.authorizationUrl : '');
    const answer = { state: given.get('state') ?? '', error: given.get('error') ?? '' };
    expect(await completeConnection(ground.ports, who, answer, signal())).toEqual({
      kind: 'denied',
      error: 'access_denied',
    });
  });

  it('says that the CRM is away, or that the installation is not set up for it', async () => {
    const who = someone();
    const answer = await returnFromCrm(who, 'salesforce');
    ground.salesforce.oauth.failTokenCalls(1, 503);
    const away = await completeConnection(ground.ports, who, answer, signal());
    expect(away).toEqual({ kind: 'away', waitMs: null });
    const wrongApp = await returnFromCrm(who, 'salesforce');
    ground.salesforce.oauth.failTokenCalls(1, 400, '{"error":"redirect_uri_mismatch"}');
    const refused = await completeConnection(ground.ports, who, wrongApp, signal());
    expect(refused).toEqual({ kind: 'not_configured' });
    expect(ground.told).toEqual(['app refused salesforce redirect_uri_mismatch']);
    const without = { ...ground.ports, oauths: {} };
    expect(await beginConnection(without, who, 'hubspot')).toEqual({ kind: 'not_configured' });
  });

  it('gives the access back that is one too many, also when several come at once', async () => {
    const who = someone();
    const ports = { ...ground.ports, connectionsMax: 1 };
    const before = ground.salesforce.oauth.counts.revoked + ground.hubspot.oauth.counts.revoked;
    const answers = [await returnFromCrm(who, 'salesforce'), await returnFromCrm(who, 'hubspot')];
    const completed = await Promise.all(
      answers.map(answer => completeConnection(ports, who, answer, signal())),
    );
    expect(completed.map(({ kind }) => kind).sort()).toEqual(['connected', 'too_many']);
    const kept = await ground.connections.list(who.accountId);
    expect(kept).toHaveLength(1);
    // HubSpot's grant is shared by all connections to the account, so it stays.
    const revoked = ground.salesforce.oauth.counts.revoked + ground.hubspot.oauth.counts.revoked - before;
    expect(revoked).toBe(kept[0]?.provider === 'salesforce' ? 0 : 1);
    // The existing one can still be renewed.
    const provider = kept[0]?.provider ?? 'hubspot';
    const again = await completeConnection(ports, who, await returnFromCrm(who, provider), signal());
    expect(again).toMatchObject({ kind: 'connected', connection: { connectionId: kept[0]?.connectionId } });
  });

  it('leaves another account’s access unchanged when one is too many', async () => {
    const [other, who] = [await ground.connect('hubspot'), someone()];
    const ports = { ...ground.ports, connectionsMax: 0 };
    const completed = await completeConnection(ports, who, await returnFromCrm(who), signal());
    expect(completed).toEqual({ kind: 'too_many' });
    const kept = await ground.process().tokens.find(other.connectionId);
    expect(ground.hubspot.oauth.isAccepted(String(kept?.tokens?.accessToken))).toBe(true);
  });

  it.each([['salesforce', 1] as const, ['hubspot', 0] as const])(
    'revokes what it cannot keep, if no one shares it: %s',
    async (provider, given) => {
      const who = someone();
      const keep = () => Promise.reject(new Error('The store is away.'));
      const ports = { ...ground.ports, connections: { ...ground.connections, keep } };
      const before = ground[provider].oauth.counts.revoked;
      const answer = await returnFromCrm(who, provider);
      await expect(completeConnection(ports, who, answer, signal())).rejects.toThrow('The store is away.');
      expect(ground[provider].oauth.counts.revoked - before).toBe(given);
    },
  );

  it('keeps the tokens of a client that disconnects after its code was used', async () => {
    const [who, leaving] = [someone(), new AbortController()];
    const answer = await returnFromCrm(who, 'salesforce');
    const oauth = ground.oauths.salesforce as NonNullable<typeof ground.oauths.salesforce>;
    const salesforce: typeof oauth = {
      ...oauth,
      exchange: (...asked) => {
        leaving.abort();
        return oauth.exchange(...asked);
      },
    };
    const ports = { ...ground.ports, oauths: { salesforce } };
    expect(await completeConnection(ports, who, answer, leaving.signal)).toMatchObject({ kind: 'connected' });
  });

  it('keeps the newest of many that are started and never completed', async () => {
    const who = someone();
    for (let number = 0; number < 25; number += 1) {
      ground.aheadMs = number;
      await beginConnection(ground.ports, who, 'hubspot');
    }
    const { rows } = await ground.pool.query('SELECT FROM crm_sign_in WHERE account_id = $1', [
      who.accountId,
    ]);
    expect(rows).toHaveLength(20);
  });

  it('keeps no token, code, verifier or secret in clear', async () => {
    const who = someone();
    const answer = await returnFromCrm(who);
    const table = async (name: string) =>
      JSON.stringify((await ground.pool.query(`SELECT * FROM ${name}`)).rows);
    expect(await table('crm_sign_in')).toContain(who.userId);
    expect(await table('crm_sign_in')).not.toContain(answer.state);
    await completeConnection(ground.ports, who, answer, signal());
    const kept = await table('crm_connection');
    expect(kept).toContain(who.userId);
    expect(kept).not.toMatch(/lab-(?:access|refresh|code)-/);
    expect(kept).not.toContain('lab-hubspot-secret');
  });
});

describe('disconnecting a CRM', () => {
  it('deletes what gives access, and tells the CRM', async () => {
    const connection = await ground.connect('salesforce');
    const { accountId, connectionId } = connection;
    const before = ground.salesforce.oauth.counts.revoked;
    expect(await disconnect(ground.ports, newId('account') as AccountId, connectionId)).toBeUndefined();
    expect(await disconnect(ground.ports, accountId, connectionId)).toEqual({ isRevoked: true });
    expect(ground.salesforce.oauth.counts.revoked - before).toBe(1);
    expect(await ground.process().tokens.find(connectionId)).toBeUndefined();
    expect(await disconnect(ground.ports, accountId, connectionId)).toBeUndefined();
  });

  it('leaves another account’s access to the same organization unchanged', async () => {
    const [first, second] = [await ground.connect('hubspot'), await ground.connect('hubspot')];
    expect(await disconnect(ground.ports, first.accountId, first.connectionId)).toEqual({ isRevoked: false });
    const kept = await ground.process().tokens.find(second.connectionId);
    expect(ground.hubspot.oauth.isAccepted(String(kept?.tokens?.accessToken))).toBe(true);
  });

  it('ends everything of an account that is gone, and nothing of another', async () => {
    const who = someone();
    const other = await ground.connect('salesforce');
    await ground.connect('salesforce', who);
    await ground.connect('hubspot', who);
    await beginConnection(ground.ports, who, 'hubspot');
    expect(await forgetConnections(ground.ports, who.accountId)).toBe(2);
    expect(await forgetConnections(ground.ports, who.accountId)).toBe(0);
    const { rows } = await ground.pool.query('SELECT FROM crm_sign_in WHERE account_id = $1', [
      who.accountId,
    ]);
    expect(rows).toEqual([]);
    expect(await ground.connections.list(other.accountId)).toHaveLength(1);
  });

  it('deletes also while the CRM does not answer', async () => {
    const connection = await ground.connect('salesforce');
    const away = { ...ground.oauths.salesforce, revoke: () => Promise.reject(new Error('away')) };
    const ports = { ...ground.ports, oauths: { salesforce: away as never } };
    expect(await disconnect(ports, connection.accountId, connection.connectionId)).toEqual({
      isRevoked: false,
    });
    expect(await ground.connections.list(connection.accountId)).toEqual([]);
  });
});

describe('the ring that seals access to CRMs', () => {
  it('can be rotated: what an older key sealed is sealed again, and opened by the new one alone', async () => {
    const connection = await ground.connect('hubspot');
    const [newest] = ringOf('k-new');
    const both: KeyRing = [newest, ...testRing];
    const count = Number((await ground.pool.query('SELECT count(*) FROM crm_connection')).rows[0].count);
    const resealed = await resealCrmTokens(ground.pool, createSealer(both, sealedCrmTokensType));
    expect(resealed).toBe(count);
    expect(await resealCrmTokens(ground.pool, createSealer(both, sealedCrmTokensType))).toBe(0);
    const alone = createCrmTokenStore(ground.pool, createSealer([newest], sealedCrmTokensType));
    const kept = await alone.find(connection.connectionId);
    expect(ground.hubspot.oauth.isAccepted(String(kept?.tokens?.accessToken))).toBe(true);
    // A process with only the old key ring cannot open the tokens and leaves them out.
    expect((await ground.process().tokens.find(connection.connectionId))?.tokens).toBeUndefined();
    expect(await resealCrmTokens(ground.pool, createSealer(testRing, sealedCrmTokensType))).toBe(0);
  });

  it('makes sign-ins unreadable with another key; the user starts again', async () => {
    const who = someone();
    const answer = await returnFromCrm(who);
    const signIns = createCrmSignInStore(ground.pool, createSealer(ringOf('other'), sealedCrmVerifierType));
    const completed = await completeConnection({ ...ground.ports, signIns }, who, answer, signal());
    expect(completed).toEqual({ kind: 'not_valid' });
  });

  it('is not needed to list connections', async () => {
    const connection = await ground.connect('hubspot');
    const store = createCrmConnectionStore(ground.pool, createSealer(ringOf('x'), sealedCrmTokensType));
    expect(await store.list(connection.accountId)).toEqual([connection]);
  });
});
