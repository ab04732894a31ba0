import { setTimeout as wait } from 'node:timers/promises';
import { createSealer, type Recurring, startRecurring } from '@mailproof/service-kit';
import type { OutboxJob } from '@mailproof/service-kit/jobs';
import { type AccountId, type CrmProvider, crmProviderNames, limits } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { createHubSpotOAuth } from '../adapters/hubspot/hubspot-oauth.ts';
import { openHubSpotCrm } from '../adapters/hubspot/open-hubspot-crm.ts';
import { createGuardedFetch } from '../adapters/oauth/guarded-fetch.ts';
import {
  createCrmConnectionStore,
  createCrmSignInStore,
  sealedCrmVerifierType,
} from '../adapters/postgres/crm-connection-store.ts';
import {
  createCrmTokenStore,
  resealCrmTokens,
  sealedCrmTokensType,
} from '../adapters/postgres/crm-token-store.ts';
import { openSalesforceCrm } from '../adapters/salesforce/open-salesforce-crm.ts';
import { createSalesforceOAuth } from '../adapters/salesforce/salesforce-oauth.ts';
import type { Config } from '../config.ts';
import { createAccessSources, createConnectedCrms } from '../domain/crm/connections/access-source.ts';
import {
  beginConnection,
  type ConnectPorts,
  completeConnection,
  disconnect,
  forgetConnections,
} from '../domain/crm/connections/connect.ts';
import type { CrmOAuths } from '../domain/crm/connections/crm-oauth.ts';
import type { ConnectedCrms, OpenCrm } from '../domain/crm/crm.ts';
import type { Events } from '../events.ts';
import { crmConnectionHandlers } from '../http/crm-connections.ts';
import { type OutsideWays, userAgent } from './pushes.ts';

interface CrmOptions {
  readonly config: Config;
  readonly pool: Pool;
  readonly events: Events;
  readonly now: () => Date;
  /** The transports to providers, and to the instances that they name. */
  readonly ways: OutsideWays;
  readonly adapters: OpenCrms;
}

/** The CRMs that accounts have connected, and the work in them. */
export interface Crms {
  readonly handlers: ReturnType<typeof crmConnectionHandlers>;
  readonly jobs: readonly OutboxJob[];
  readonly connected: ConnectedCrms;
  /** Ends some connections of a deleted account; returns how many. */
  forgetAccount(accountId: AccountId): Promise<number>;
  start(): void;
  close(): Promise<void>;
}

const resealEveryMs = 600_000;
const sweepEveryMs = 60_000;

export function composeCrm(options: CrmOptions): Crms {
  const { config, pool, events, now, adapters } = options;
  const sealer = createSealer(config.CRM_TOKEN_ENCRYPTION_KEYS, sealedCrmTokensType);
  const oauths = createCrmOAuths(config, options.ways, now);
  const connections = createCrmConnectionStore(pool, sealer);
  const signIns = createCrmSignInStore(
    pool,
    createSealer(config.CRM_TOKEN_ENCRYPTION_KEYS, sealedCrmVerifierType),
  );
  const sources = createAccessSources({
    oauths,
    tokens: createCrmTokenStore(pool, sealer),
    events,
    now,
    wait: ms => wait(ms),
  });
  const connected = createConnectedCrms(connections, sources, adapters);
  const ports: ConnectPorts = {
    oauths,
    signIns,
    connections,
    events,
    now,
    connectionsMax: limits.crmConnectionsMax,
  };
  const recurring: Recurring[] = [];
  return {
    handlers: crmConnectionHandlers({
      begin: (...which) => beginConnection(ports, ...which),
      complete: (...which) => completeConnection(ports, ...which),
      connections,
      providers: crmProviderNames.filter(name => oauths[name] !== undefined),
      disconnect: (...which) => disconnect(ports, ...which),
      connected,
    }),
    jobs: [],
    connected,
    forgetAccount: accountId => forgetConnections(ports, accountId),
    start() {
      recurring.push(
        startRecurring({
          everyMs: resealEveryMs,
          work: () => resealCrmTokens(pool, sealer),
          told: events.crmTokensResealed,
          onFailed: events.crmResealFailed,
        }),
        startRecurring({
          everyMs: sweepEveryMs,
          work: () => signIns.deleteExpired(now()),
          onFailed: events.crmSweepFailed,
        }),
      );
    },
    async close() {
      await Promise.all(recurring.map(each => each.close()));
      await sources.close();
    },
  };
}

/** Opens the CRMs of each provider. */
export type OpenCrms = Readonly<Partial<Record<CrmProvider, OpenCrm>>>;

export function createCrmAdapters(ways: OutsideWays, now: () => Date): OpenCrms {
  return {
    hubspot: openHubSpotCrm({ outside: ways, userAgent }),
    salesforce: openSalesforceCrm({ outside: ways, userAgent, now }),
  };
}

/** The authorization servers of the providers for which the operator has set up an app. */
function createCrmOAuths(config: Config, ways: OutsideWays, now: () => Date): CrmOAuths {
  const fetch = createGuardedFetch(ways, userAgent);
  const redirectUri = `${config.PUBLIC_BASE_URL}/crm/callback`;
  const { HUBSPOT_CLIENT_ID, HUBSPOT_CLIENT_SECRET, SALESFORCE_CLIENT_ID, SALESFORCE_CLIENT_SECRET } = config;
  return {
    ...(HUBSPOT_CLIENT_ID !== undefined &&
      HUBSPOT_CLIENT_SECRET !== undefined && {
        hubspot: createHubSpotOAuth(
          {
            clientId: HUBSPOT_CLIENT_ID,
            clientSecret: HUBSPOT_CLIENT_SECRET,
            redirectUri,
            appBaseUrl: config.HUBSPOT_APP_BASE_URL,
            apiBaseUrl: config.HUBSPOT_API_BASE_URL,
          },
          fetch,
          now,
        ),
      }),
    ...(SALESFORCE_CLIENT_ID !== undefined &&
      SALESFORCE_CLIENT_SECRET !== undefined && {
        salesforce: createSalesforceOAuth(
          {
            clientId: SALESFORCE_CLIENT_ID,
            clientSecret: SALESFORCE_CLIENT_SECRET,
            redirectUri,
            loginUrl: config.SALESFORCE_LOGIN_URL,
          },
          fetch,
          now,
        ),
      }),
  };
}
