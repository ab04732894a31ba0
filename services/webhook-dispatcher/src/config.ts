import { keyRing, privateRanges, readConfig, serviceSettings, wholeNumber } from '@mailproof/service-kit';
import { limits } from '@mailproof/shared-types';
import { z } from 'zod';

const settings = z
  .object({
    ...serviceSettings,
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
  })
  .refine(config => config.SERVICE_SIGNING_KEY.kid === 'webhook-dispatcher', {
    path: ['SERVICE_SIGNING_KEY'],
    error: 'must have the kid webhook-dispatcher: a service signs in its own name',
  });

export type Config = z.output<typeof settings>;

export function loadConfig(environment: NodeJS.ProcessEnv): Config {
  return readConfig(settings, environment);
}
