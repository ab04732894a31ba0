import {
  type HubSpotSimulator,
  openHubSpot,
  openSalesforce,
  type SalesforceSimulator,
} from '@mailproof/crm-lab';
import { createTestDatabase } from '@mailproof/dev-house';
import { createAddressGuard, createOutside, createSealer, type KeyRing } from '@mailproof/service-kit';
import { type AccountId, type CrmProvider, newId, type UserId } from '@mailproof/shared-types';
import pg from 'pg';
import { createHubSpotOAuth } from '../src/adapters/hubspot/hubspot-oauth.ts';
import { createGuardedFetch } from '../src/adapters/oauth/guarded-fetch.ts';
import {
  createCrmConnectionStore,
  createCrmSignInStore,
  sealedCrmVerifierType,
} from '../src/adapters/postgres/crm-connection-store.ts';
import { createCrmTokenStore, sealedCrmTokensType } from '../src/adapters/postgres/crm-token-store.ts';
import { createSalesforceOAuth } from '../src/adapters/salesforce/salesforce-oauth.ts';
import type { AccessPorts } from '../src/domain/crm/connections/access-source.ts';
import {
  beginConnection,
  type Connecting,
  type ConnectPorts,
  completeConnection,
} from '../src/domain/crm/connections/connect.ts';
import type {
  ConnectionEvents,
  CrmConnection,
  CrmConnectionStore,
  CrmSignInStore,
} from '../src/domain/crm/connections/crm-connection.ts';
import type { CrmOAuths } from '../src/domain/crm/connections/crm-oauth.ts';

export const redirectUri = 'http://127.0.0.1:9/crm/callback';
export const ringOf = (kid: string): KeyRing => [{ kid, key: new Uint8Array(32).fill(kid.length) }];
export const testRing = ringOf('k1');

/** Both CRMs on loopback, a database, and everything between them as in the service, without its HTTP side. */
export interface CrmGround {
  readonly pool: pg.Pool;
  readonly databaseUrl: string;
  readonly hubspot: HubSpotSimulator;
  readonly salesforce: SalesforceSimulator;
  readonly oauths: CrmOAuths;
  readonly connections: CrmConnectionStore;
  readonly signIns: CrmSignInStore;
  readonly ports: ConnectPorts;
  /** The events of the domain, newest last. */
  readonly told: string[];
  /** How far the clock of everything but the simulators is ahead, in milliseconds. */
  aheadMs: number;
  /** The ports of another process of the service, with separate connections to the same database. */
  process(): AccessPorts;
  /** Acts as the browser between the two halves of connecting: visits the CRM, is allowed, and comes back. */
  visit(authorizationUrl: string): Promise<URLSearchParams>;
  connect(provider: CrmProvider, who?: Connecting): Promise<CrmConnection>;
  close(): Promise<void>;
}

export const someone = (accountId = newId('account') as AccountId): Connecting => ({
  accountId,
  userId: newId('user') as UserId,
});

export async function openCrmGround(options: { readonly ring?: KeyRing } = {}): Promise<CrmGround> {
  const { ring = testRing } = options;
  const [database, hubspot, salesforce] = await Promise.all([
    createTestDatabase('webhook-dispatcher'),
    openHubSpot({ redirectUris: [redirectUri], hubDomain: 'ordinary.example' }),
    openSalesforce({ oauth: { redirectUris: [redirectUri], organizationName: 'Ordinary Limited' } }),
  ]);
  const pools: pg.Pool[] = [];
  const openPool = () => {
    const { databaseUrl: connectionString } = database;
    pools.push(new pg.Pool({ connectionString, options: '-c search_path=dispatcher', max: 4 }));
    return pools.at(-1) as pg.Pool;
  };
  const pool = openPool();
  const ways = openWays();
  const told: string[] = [];
  const ground = { aheadMs: 0 };
  const now = () => new Date(Date.now() + ground.aheadMs);
  const fetch = createGuardedFetch(ways, 'Mailproof/1.0');
  const oauths = {
    hubspot: createHubSpotOAuth(
      {
        clientId: hubspot.clientId,
        clientSecret: hubspot.clientSecret,
        redirectUri,
        appBaseUrl: hubspot.baseUrl,
        apiBaseUrl: hubspot.baseUrl,
      },
      fetch,
      now,
    ),
    salesforce: createSalesforceOAuth(
      { clientId: 'lab-client', clientSecret: 'lab-secret', redirectUri, loginUrl: salesforce.baseUrl },
      fetch,
      now,
    ),
  };
  const sealer = createSealer(ring, sealedCrmTokensType);
  const connections = createCrmConnectionStore(pool, sealer);
  const signIns = createCrmSignInStore(pool, createSealer(ring, sealedCrmVerifierType));
  const events = tellingEvents(told);
  const ports: ConnectPorts = { oauths, signIns, connections, events, now, connectionsMax: 3 };

  async function visit(authorizationUrl: string): Promise<URLSearchParams> {
    const answer = await globalThis.fetch(authorizationUrl, { redirect: 'manual' });
    const location = answer.headers.get('location');
    if (answer.status !== 302 || !location?.startsWith(redirectUri)) {
      throw new Error(`The browser is shown ${answer.status} ${await answer.text()}`);
    }
    return new URL(location).searchParams;
  }

  return Object.assign(ground, {
    pool,
    databaseUrl: database.databaseUrl,
    hubspot,
    salesforce,
    oauths,
    connections,
    signIns,
    ports,
    told,
    visit,
    process: (): AccessPorts => ({
      oauths,
      tokens: createCrmTokenStore(openPool(), sealer),
      events,
      now,
      wait: ms => new Promise(resolve => setTimeout(resolve, Math.min(ms, 20))),
    }),
    async connect(provider: CrmProvider, who = someone()) {
      const started = await beginConnection(ports, who, provider);
      if (started.kind !== 'started') {
        throw new Error('The connection was not started.');
      }
      const given = await visit(started.authorizationUrl);
      const answer = { state: given.get('state') ?? '', code: given.get('code') ?? '' };
      const completed = await completeConnection(ports, who, answer, AbortSignal.timeout(20_000));
      if (completed.kind !== 'connected') {
        throw new Error(`The connection is ${completed.kind}.`);
      }
      return completed.connection;
    },
    async close() {
      await Promise.all([ways.https.close(), ways.http.close(), hubspot.close(), salesforce.close()]);
      await Promise.all(pools.map(each => each.end()));
      await database.drop();
    },
  });
}

function openWays() {
  const ranges = ['127.0.0.1/32'];
  return {
    https: createOutside({ guard: createAddressGuard(ranges), allowsHttp: false, keepsConnections: true }),
    http: createOutside({
      guard: createAddressGuard(ranges, { admitsPublic: false }),
      allowsHttp: true,
      keepsConnections: true,
      connectionsMax: 32,
    }),
  };
}

function tellingEvents(told: string[]): ConnectionEvents {
  return {
    crmConnected: ({ provider }) => void told.push(`connected ${provider}`),
    crmDisconnected: ({ provider }, isRevoked) => void told.push(`disconnected ${provider} ${isRevoked}`),
    crmAccessRenewed: (_id, provider) => void told.push(`renewed ${provider}`),
    crmAccessLost: (_id, provider, fault) => void told.push(`lost ${provider} ${fault}`),
    crmAppRefused: (provider, error) => void told.push(`app refused ${provider} ${error}`),
  };
}
