import { readConfig, serviceSettings, wholeNumber } from '@mailproof/service-kit';
import { z } from 'zod';

const databaseSettings = {
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).describe('Postgres, as the ledger’s own role.'),
};

const settings = z.object({
  ...serviceSettings,
  ...databaseSettings,
  DATABASE_CONNECTIONS_MAX: wholeNumber(1, 200).default(10),
  HOLD_SWEEP_INTERVAL_MS: wholeNumber(100, 600_000)
    .default(5_000)
    .describe('Time between two looks for holds whose time has run out.'),
  CREDIT_SWEEP_INTERVAL_MS: wholeNumber(100, 3_600_000)
    .default(60_000)
    .describe('Time between two looks for credits whose time is over.'),
  AUDIT_INTERVAL_MS: wholeNumber(1_000, 86_400_000)
    .default(900_000)
    .describe('Time between two audits of what has moved, over all replicas.'),
  AUDIT_FULL_INTERVAL_MS: wholeNumber(1_000, 2_678_400_000)
    .default(86_400_000)
    .describe('Time after which an audit looks at everything again.'),
  AUDIT_STATEMENT_TIMEOUT_MS: wholeNumber(100, 600_000)
    .default(30_000)
    .describe('Time that one statement of an audit may take.'),
});

export type Config = z.output<typeof settings>;

export function loadConfig(environment: NodeJS.ProcessEnv): Config {
  return readConfig(settings, environment);
}

/** What the operator's commands need. */
export function loadOperatorConfig(
  environment: NodeJS.ProcessEnv,
): Pick<Config, 'DATABASE_URL' | 'AUDIT_STATEMENT_TIMEOUT_MS'> {
  return readConfig(settings.pick({ DATABASE_URL: true, AUDIT_STATEMENT_TIMEOUT_MS: true }), environment);
}
