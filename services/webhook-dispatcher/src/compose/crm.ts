import { setTimeout as wait } from 'node:timers/promises';
import {
  createSealer,
  createServiceGuard,
  type OutboxJob,
  type Recurring,
  type Route,
  startRecurring,
} from '@mailproof/service-kit';
import {
  type AccountId,
  beginCrmConnection,
  completeCrmConnection,
  crmProviderNames,
  disconnectCrm,
  forwarded,
  limits,
  listCrmConnections,
  listCrmProperties,
  listCrmSegments,
  type Operation,
} from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { createCrmConnectionStore } from '../adapters/postgres/crm-connection-store.ts';
import { createCrmSignInStore, sealedCrmVerifierType } from '../adapters/postgres/crm-sign-in-store.ts';
import { createCrmTokenStore } from '../adapters/postgres/crm-token-store.ts';
import { sealedCrmTokensType } from '../adapters/postgres/crm-tokens.ts';
import { resealCrmTokens } from '../adapters/postgres/reseal-crm-tokens.ts';
import type { Config } from '../config.ts';
import { createAccessSources } from '../domain/crm/connections/access-source.ts';
import { beginConnection, type ConnectPorts, completeConnection } from '../domain/crm/connections/connect.ts';
import { createConnectedCrms } from '../domain/crm/connections/connected-crms.ts';
import { disconnect, forgetConnections } from '../domain/crm/connections/disconnect.ts';
import type { ConnectedCrms } from '../domain/crm/crm-access.ts';
import type { Events } from '../events.ts';
import { beginCrmConnectionRoute } from '../http/begin-crm-connection.ts';
import { completeCrmConnectionRoute } from '../http/complete-crm-connection.ts';
import { disconnectCrmRoute } from '../http/disconnect-crm.ts';
import { listCrmConnectionsRoute } from '../http/list-crm-connections.ts';
import { listCrmPropertiesRoute } from '../http/list-crm-properties.ts';
import { listCrmSegmentsRoute } from '../http/list-crm-segments.ts';
import { createCrmOAuths, type OpenCrms } from './crm-adapters.ts';
import type { OutsideWays } from './pushes.ts';

export interface CrmOptions {
  readonly config: Config;
  readonly pool: Pool;
  readonly events: Events;
  readonly now: () => Date;
  /** The ways to providers, and to the instances that they name. */
  readonly ways: OutsideWays;
  readonly adapters: OpenCrms;
}

/** CRMs that accounts have connected, and what is done in them. */
export interface Crms {
  readonly routes: readonly Route[];
  readonly jobs: readonly OutboxJob[];
  readonly connected: ConnectedCrms;
  /** Ends some connections of an account that is gone; answers how many. */
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
    routes: connectionRoutes(config, ports, connected),
    jobs: [],
    connected,
    forgetAccount: accountId => forgetConnections(ports, accountId),
    start() {
      recurring.push(
        startRecurring({
          everyMs: resealEveryMs,
          async work() {
            const resealed = await resealCrmTokens(pool, sealer);
            if (resealed > 0) {
              events.crmTokensResealed(resealed);
            }
          },
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

function connectionRoutes(config: Config, ports: ConnectPorts, connected: ConnectedCrms): Route[] {
  const guardOf = createServiceGuard('webhook-dispatcher', config.SERVICE_PEER_KEYS);
  const guard = (operation: Operation) => guardOf(forwarded(operation));
  const providers = crmProviderNames.filter(name => ports.oauths[name] !== undefined);
  return [
    beginCrmConnectionRoute(guard(beginCrmConnection), (...which) => beginConnection(ports, ...which)),
    completeCrmConnectionRoute(guard(completeCrmConnection), (...which) =>
      completeConnection(ports, ...which),
    ),
    listCrmConnectionsRoute(guard(listCrmConnections), ports.connections, providers),
    disconnectCrmRoute(guard(disconnectCrm), (...which) => disconnect(ports, ...which)),
    listCrmPropertiesRoute(guard(listCrmProperties), connected),
    listCrmSegmentsRoute(guard(listCrmSegments), connected),
  ];
}
