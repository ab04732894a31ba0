import { randomBytes } from 'node:crypto';
import { createSealer, type OperationClient, type Recurring, startRecurring } from '@mailproof/service-kit';
import { type AccountId, hasPaidHeaders, limits, recordOutcomes } from '@mailproof/shared-types';
import type { Redis } from 'ioredis';
import type { Pool } from 'pg';
import { createAmazonSes } from '../adapters/mail-providers/amazon-ses.ts';
import { deliveryStatus } from '../adapters/mail-providers/delivery-status.ts';
import { createMailgun } from '../adapters/mail-providers/mailgun.ts';
import { postmark } from '../adapters/mail-providers/postmark.ts';
import { sendgrid } from '../adapters/mail-providers/sendgrid.ts';
import { signedJson } from '../adapters/mail-providers/signed-json.ts';
import { createSnsTopic } from '../adapters/mail-providers/sns-topic.ts';
import {
  createOutcomeSourceStore,
  resealOutcomeKeys,
  sealedOutcomeKeyType,
} from '../adapters/postgres/outcome-source-store.ts';
import { createSignatureMemory } from '../adapters/redis/signature-memory.ts';
import type { Config } from '../config.ts';
import { createReadingTurns } from '../domain/outcomes/reading-turns.ts';
import type { Events } from '../events.ts';
import { outcomeSourceHandlers } from '../http/outcome-sources.ts';
import { type OutsideWays, userAgent } from './pushes.ts';

interface OutcomeSourcesOptions {
  readonly config: Config;
  readonly pool: Pool;
  readonly redis: Redis;
  readonly events: Events;
  readonly now: () => Date;
  readonly ways: OutsideWays;
  readonly enginePeer: OperationClient;
}

/** Mail providers that report outcomes automatically (ADR 0074). */
export interface OutcomeSources {
  readonly handlers: ReturnType<typeof outcomeSourceHandlers>;
  /** Deletes the sources of a deleted account; returns how many. */
  forgetAccount(accountId: AccountId): Promise<number>;
  start(): void;
  close(): Promise<void>;
}

/** Time for the engine to record one portion, including retries; all together fit into the gateway's deadline. */
const reportDeadlineMs = 5_000;
const resealEveryMs = 600_000;
const tokenOctets = 32;

export function composeOutcomeSources(options: OutcomeSourcesOptions): OutcomeSources {
  const { config, pool, redis, events, now, ways, enginePeer } = options;
  const sealer = createSealer(config.DESTINATION_ENCRYPTION_KEYS, sealedOutcomeKeyType);
  const sources = createOutcomeSourceStore(pool, sealer);
  let resealing: Recurring | undefined;
  return {
    handlers: outcomeSourceHandlers({
      sources,
      providers: {
        amazon_ses: createAmazonSes(createSnsTopic(ways.https, userAgent)),
        sendgrid,
        postmark,
        mailgun: createMailgun(createSignatureMemory(redis, limits.outcomeSignatureAgeMsMax)),
        dsn: deliveryStatus,
        json: signedJson,
      },
      inTurn: createReadingTurns(),
      report: ({ accountId, hasPaid }, outcomes, signal) =>
        enginePeer.call(
          recordOutcomes,
          { params: {}, body: { accountId, outcomes: [...outcomes] } },
          { deadlineMs: reportDeadlineMs, signal, headers: hasPaidHeaders(hasPaid) },
        ),
      events,
      sourceManaged: events.outcomeSourceManaged,
      newToken: () => randomBytes(tokenOctets).toString('base64url'),
      urlOf: token => `${config.PUBLIC_BASE_URL}/inbound/v1/${token}`,
      now,
    }),
    forgetAccount: accountId => sources.deleteOfAccount(accountId),
    start() {
      resealing = startRecurring({
        everyMs: resealEveryMs,
        work: () => resealOutcomeKeys(pool, sealer),
        told: events.outcomeKeysResealed,
        onFailed: events.outcomeResealFailed,
      });
    },
    async close() {
      await resealing?.close();
    },
  };
}
