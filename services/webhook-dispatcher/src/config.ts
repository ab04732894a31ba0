import {
  keyRing,
  outboxIntervalMs,
  privateRanges,
  readConfig,
  serviceSettings,
  wholeNumber,
} from '@mailproof/service-kit';
import { limits } from '@mailproof/shared-types';
import { z } from 'zod';

const settings = z
  .object({
    ...serviceSettings,
    OUTBOX_INTERVAL_MS: outboxIntervalMs,
    DATABASE_URL: z
      .url({ protocol: /^postgres(ql)?$/ })
      .describe('Postgres, as the role of the webhook dispatcher.'),
    DATABASE_CONNECTIONS_MAX: wholeNumber(1, 200).default(10),
    REDIS_URL: z
      .url({ protocol: /^rediss?$/ })
      .describe('Redis, for the queues of exports and, sealed, for where pushes go to.'),
    VALIDATION_ENGINE_URL: z
      .url()
      .describe('Where rows of validation jobs come from: the validation engine.'),
    ENRICHMENT_URL: z.url().describe('Where saved people and companies come from: the enrichment service.'),
    DESTINATION_ENCRYPTION_KEYS: keyRing.describe(
      'The ring that seals where pushes go to while they are under way, `kid:base64` of 32 octets, comma-separated.',
    ),
    EXPORT_KEPT_DAYS: wholeNumber(1, 3_650)
      .default(limits.jobKeptDaysDefault)
      .describe('Days for which an export and the list of its rows are kept.'),
    OUTBOUND_ALLOWED_PRIVATE_RANGES: privateRanges.describe(
      'Ranges in which receivers may stand besides public addresses.',
    ),
    PUSH_REQUESTS_PER_HOST_MAX: wholeNumber(1, 1_000)
      .default(32)
      .describe('Rows on their way to one host at once from one process, over all pushes.'),
    PUSH_ANSWER_MS_MAX: wholeNumber(100, 60_000)
      .default(15_000)
      .describe('Time for a receiver to answer one row.'),
    PUSH_PAUSED_HOURS_MAX: wholeNumber(1, 168)
      .default(24)
      .describe('For how long receivers may make one push wait in all; then it fails.'),
    PUSH_DESTINATION_DAYS_MAX: wholeNumber(1, 30)
      .default(7)
      .describe('For how long where a paused push goes to is kept; longer than receivers may make it wait.'),
  })
  .refine(config => config.SERVICE_SIGNING_KEY.kid === 'webhook-dispatcher', {
    path: ['SERVICE_SIGNING_KEY'],
    error: 'must have the kid webhook-dispatcher: a service signs in its own name',
  })
  .refine(config => config.PUSH_DESTINATION_DAYS_MAX * 24 > config.PUSH_PAUSED_HOURS_MAX, {
    path: ['PUSH_DESTINATION_DAYS_MAX'],
    error: 'must be longer than PUSH_PAUSED_HOURS_MAX: a push that waits needs to know where it goes',
  });

export type Config = z.output<typeof settings>;

export function loadConfig(environment: NodeJS.ProcessEnv): Config {
  return readConfig(settings, environment);
}
