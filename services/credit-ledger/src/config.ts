import { readConfig, serviceSettings, wholeNumber } from '@mailproof/service-kit';
import { z } from 'zod';

const settings = z.object({
  ...serviceSettings,
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).describe('Postgres, as the ledger’s own role.'),
  DATABASE_CONNECTIONS_MAX: wholeNumber(1, 200).default(10),
  HOLD_SWEEP_INTERVAL_MS: wholeNumber(100, 600_000)
    .default(5_000)
    .describe('Time between two looks for holds whose time has run out.'),
  CREDIT_SWEEP_INTERVAL_MS: wholeNumber(100, 3_600_000)
    .default(60_000)
    .describe('Time between two looks for credits whose time is over.'),
});

export type Config = z.output<typeof settings>;

export function loadConfig(environment: NodeJS.ProcessEnv): Config {
  return readConfig(settings, environment);
}
