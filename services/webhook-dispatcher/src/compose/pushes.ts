import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import {
  createAddressGuard,
  createOutside,
  createSealer,
  type Outside,
  type OutsideOptions,
} from '@mailproof/service-kit';
import { type ExportId, limits, type WebhookDestination, webhookOptions } from '@mailproof/shared-types';
import type { Redis } from 'ioredis';
import type { Pool } from 'pg';
import { createSendRow } from '../adapters/outside/send-row.ts';
import { createRequeueRefused } from '../adapters/postgres/export-store.ts';
import { createDestinationStore, sealedDestinationType } from '../adapters/redis/destination-store.ts';
import type { Config } from '../config.ts';
import type { Export } from '../domain/exports/export.ts';
import type { ExportPorts } from '../domain/exports/export-ports.ts';
import type { RowDelivery } from '../domain/exports/row-delivery.ts';
import { type BeginPushPorts, keepDestination, pushBeginningOf } from '../domain/push/begin-push.ts';
import type { ClassifyHost } from '../domain/push/destination.ts';
import { createHostSlots } from '../domain/push/pace.ts';
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
import { webhookPushHandlers } from '../http/webhook-pushes.ts';

/** How a test reaches external hosts: replaced names and ports, and the CA of certificates. */
export type OutsideOverrides = Pick<OutsideOptions, 'lookup' | 'connectPort' | 'extraCa'>;

export interface PushesOptions {
  readonly config: Config;
  readonly pool: Pool;
  readonly redis: Redis;
  readonly events: Events;
  readonly now: () => Date;
  readonly ways: OutsideWays;
}

/** The transports for receivers with TLS, and for receivers at allowed private addresses, which may use plain HTTP. */
export interface OutsideWays {
  readonly https: Outside;
  readonly http: Outside;
}

/** Rows that are pushed to webhooks. */
export interface Pushes {
  readonly delivery: RowDelivery;
  /** Throws `DestinationFault`. */
  keepDestination(exportId: ExportId, wanted: WebhookDestination): Promise<void>;
  /** What is known about a push at its start; undefined once it has ended. */
  beginningOf(record: Export): Promise<ReturnType<typeof pushBeginningOf> | undefined>;
  handlers(
    ports: Pick<ExportPorts, 'exports' | 'sources' | 'delivery'>,
  ): ReturnType<typeof webhookPushHandlers>;
}

/** The user agent for receivers and CRMs. */
export const userAgent = 'Mailproof/1.0';
/** The deadline for a receiver to answer a row, in milliseconds. */
const answerMsMax = 15_000;
/** The deadline for the receiver of a test row, in milliseconds; fits into the gateway's deadline. */
const testRowMsMax = 10_000;
const signingSecretOctets = 32;
const hourMs = 3_600_000;
const daySeconds = 86_400;

/** Generates a secret in the form of Standard Webhooks. */
export function newSigningSecret(): string {
  return `whsec_${randomBytes(signingSecretOctets).toString('base64')}`;
}

export function composePushes(options: PushesOptions): Pushes {
  const { config, redis, events, now, ways } = options;
  const destinations = createDestinationStore({
    redis,
    sealer: createSealer(config.DESTINATION_ENCRYPTION_KEYS, sealedDestinationType),
    keptSeconds: config.PUSH_DESTINATION_DAYS_MAX * daySeconds,
    onNotOpened: (exportId, { kind }) => events.destinationNotOpened(exportId, kind),
  });
  const slots = createHostSlots(config.PUSH_REQUESTS_PER_HOST_MAX);
  const senderOf = (deadlineMs: number) =>
    createSendRow({ outside: ways, slots, userAgent, deadlineMs, now });
  const sendRow = senderOf(answerMsMax);
  const push: BeginPushPorts = {
    destinations,
    classifyHost: createClassifyHost(config.OUTBOUND_ALLOWED_PRIVATE_RANGES),
    newSigningSecret,
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
    handlers: ports => composeHandlers(options, { ...ports, push, sendTest: senderOf(testRowMsMax) }),
  };
}

function composeHandlers(
  { pool, events, now }: PushesOptions,
  ports: Pick<ExportPorts, 'exports' | 'sources' | 'delivery'> & {
    readonly push: BeginPushPorts;
    readonly sendTest: ReturnType<typeof createSendRow>;
  },
) {
  const { push, sendTest: send } = ports;
  const steering: SteerPorts = {
    ...ports,
    events,
    now,
    requeueRefused: createRequeueRefused(pool),
    activeMax: limits.activeExportsMax,
  };
  return webhookPushHandlers({
    sources: ports.sources,
    sendTest: test => sendTestRow({ push, send, now }, test),
    pause: (...which) => pausePush(steering, ...which),
    resume: (...which) => resumePush(steering, ...which),
    cancel: (...which) => cancel(steering, ...which),
    replace: (...which) => replaceDestination(steering, ...which),
  });
}

/**
 * Public receivers need TLS, since rows contain personal data. Plain HTTP is possible only to addresses that the
 * operator allows, such as an n8n on the same network.
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

export function createClassifyHost(allowedRanges: readonly string[]): ClassifyHost {
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
