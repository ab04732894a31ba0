import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import {
  createAddressGuard,
  createOutside,
  createSealer,
  createServiceGuard,
  type Outside,
  type OutsideOptions,
  type Route,
} from '@mailproof/service-kit';
import {
  cancelExport,
  type ExportId,
  forwarded,
  limits,
  type Operation,
  pauseExport,
  putExportDestination,
  resumeExport,
  testWebhookRow,
  type WebhookDestination,
  webhookOptions,
} from '@mailproof/shared-types';
import type { Redis } from 'ioredis';
import type { Pool } from 'pg';
import { createSendRow } from '../adapters/outside/send-row.ts';
import { createTakeBackRefused } from '../adapters/postgres/take-back-refused.ts';
import { createDestinationStore, sealedDestinationType } from '../adapters/redis/destination-store.ts';
import type { Config } from '../config.ts';
import type { Export } from '../domain/exports/export.ts';
import type { ExportPorts } from '../domain/exports/export-ports.ts';
import type { RowDelivery } from '../domain/exports/row-delivery.ts';
import { type BeginPushPorts, keepDestination, pushBeginningOf } from '../domain/push/begin-push.ts';
import type { PlaceOfHost } from '../domain/push/destination.ts';
import { createHostPlaces } from '../domain/push/host-places.ts';
import { sendTestRow } from '../domain/push/send-test-row.ts';
import {
  cancelExport as cancel,
  pausePush,
  replaceDestination,
  resumePush,
  type SteerPorts,
} from '../domain/push/steer-push.ts';
import { createWebhookDelivery } from '../domain/push/webhook-delivery.ts';
import type { Events } from '../events.ts';
import { cancelExportRoute } from '../http/cancel-export.ts';
import { pauseExportRoute } from '../http/pause-export.ts';
import { putExportDestinationRoute } from '../http/put-export-destination.ts';
import { resumeExportRoute } from '../http/resume-export.ts';
import { testWebhookRowRoute } from '../http/test-webhook-row.ts';

/** How a test reaches the outside: names and ports that stand for others, and who vouches for certificates. */
export type OutsideOverrides = Pick<OutsideOptions, 'lookup' | 'connectPort' | 'extraCa'>;

export interface PushesOptions {
  readonly config: Config;
  readonly pool: Pool;
  readonly redis: Redis;
  readonly events: Events;
  readonly now: () => Date;
  readonly ways: OutsideWays;
}

/** The ways to receivers that speak TLS, and to those at allowed private addresses that need not. */
export interface OutsideWays {
  readonly https: Outside;
  readonly http: Outside;
}

/** Rows that are pushed to webhooks. */
export interface Pushes {
  readonly delivery: RowDelivery;
  /** Throws `DestinationFault`. */
  keepDestination(exportId: ExportId, wanted: WebhookDestination): Promise<void>;
  /** What there is to know of a push that has begun; undefined where it has ended already. */
  beginningOf(record: Export): Promise<ReturnType<typeof pushBeginningOf> | undefined>;
  routes(ports: Pick<ExportPorts, 'exports' | 'sources' | 'delivery'>): Route[];
}

/** What we call ourselves to receivers and CRMs. */
export const userAgent = 'Mailproof/1.0';
/** What the gateway waits for an answer leaves so much for the receiver of a test row, in milliseconds. */
const testRowMsMax = 10_000;
const signingSecretOctets = 32;
const hourMs = 3_600_000;
const daySeconds = 86_400;

export function composePushes(options: PushesOptions): Pushes {
  const { config, redis, events, now, ways } = options;
  const destinations = createDestinationStore({
    redis,
    sealer: createSealer(config.DESTINATION_ENCRYPTION_KEYS, sealedDestinationType),
    keptSeconds: config.PUSH_DESTINATION_DAYS_MAX * daySeconds,
    onNotOpened: (exportId, { kind }) => events.destinationNotOpened(exportId, kind),
  });
  const places = createHostPlaces(config.PUSH_REQUESTS_PER_HOST_MAX);
  const senderOf = (deadlineMs: number) =>
    createSendRow({ outside: ways, places, userAgent, deadlineMs, now });
  const sendRow = senderOf(config.PUSH_ANSWER_MS_MAX);
  const push: BeginPushPorts = {
    destinations,
    placeOf: createPlaceOf(config.OUTBOUND_ALLOWED_PRIVATE_RANGES),
    newSigningSecret: () => `whsec_${randomBytes(signingSecretOctets).toString('base64')}`,
  };
  const delivery = createWebhookDelivery({
    destinations,
    send: async (destination, row) => (await sendRow(destination, row)).answer,
    clock: { nowMs: () => now().getTime(), wait: ms => wait(ms) },
    random: Math.random,
    events,
    pausedMsMax: config.PUSH_PAUSED_HOURS_MAX * hourMs,
  });
  return {
    delivery,
    async keepDestination(exportId, wanted) {
      await keepDestination(push, exportId, wanted);
    },
    async beginningOf(record) {
      const destination = await destinations.find(record.exportId);
      return (
        destination && pushBeginningOf(webhookOptions.parse(record.options), destination, record.rowsTotal)
      );
    },
    routes: ports => pushRoutes(options, { ...ports, push, sendTest: senderOf(testRowMsMax) }),
  };
}

function pushRoutes(
  { config, pool, events, now }: PushesOptions,
  ports: Pick<ExportPorts, 'exports' | 'sources' | 'delivery'> & {
    readonly push: BeginPushPorts;
    readonly sendTest: ReturnType<typeof createSendRow>;
  },
): Route[] {
  const guardOf = createServiceGuard('webhook-dispatcher', config.SERVICE_PEER_KEYS);
  const guard = (operation: Operation) => guardOf(forwarded(operation));
  const { push, sendTest: send } = ports;
  const steering: SteerPorts = {
    ...ports,
    events,
    now,
    takeBackRefused: createTakeBackRefused(pool),
    activeMax: limits.activeExportsMax,
  };
  return [
    testWebhookRowRoute(guard(testWebhookRow), ports.sources, test => sendTestRow({ push, send, now }, test)),
    pauseExportRoute(guard(pauseExport), (...which) => pausePush(steering, ...which)),
    resumeExportRoute(guard(resumeExport), (...which) => resumePush(steering, ...which)),
    cancelExportRoute(guard(cancelExport), (...which) => cancel(steering, ...which)),
    putExportDestinationRoute(guard(putExportDestination), (...which) =>
      replaceDestination(steering, ...which),
    ),
  ];
}

/**
 * Public receivers need TLS, since rows name people. Plain HTTP leads to addresses that the operator allows and to no
 * others, such as an n8n on the same network.
 */
export function openWays(config: Config, outside: OutsideOverrides | undefined): OutsideWays {
  const ranges = config.OUTBOUND_ALLOWED_PRIVATE_RANGES;
  const shared = {
    ...outside,
    connectionsMax: config.PUSH_REQUESTS_PER_HOST_MAX,
    keepsConnections: true,
  };
  return {
    https: createOutside({ ...shared, guard: createAddressGuard(ranges), allowsHttp: false }),
    http: createOutside({
      ...shared,
      guard: createAddressGuard(ranges, { admitsPublic: false }),
      allowsHttp: true,
    }),
  };
}

function createPlaceOf(allowedRanges: readonly string[]): PlaceOfHost {
  const allowedGuard = createAddressGuard(allowedRanges, { admitsPublic: false });
  const publicGuard = createAddressGuard([]);
  return host => {
    if (isIP(host) === 0) {
      return 'unknown';
    }
    if (allowedGuard(host).allowed) {
      return 'allowed';
    }
    return publicGuard(host).allowed ? 'public' : 'refused';
  };
}
