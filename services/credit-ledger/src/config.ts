import {
  databaseConnectionsMax,
  postgresUrl,
  readConfig,
  serviceSettings,
  wholeNumber,
} from '@mailproof/service-kit';
import { z } from 'zod';

const databaseSettings = {
  DATABASE_URL: postgresUrl.describe('Postgres, with the ledger’s own role.'),
};

const settings = z.object({
  ...serviceSettings,
  ...databaseSettings,
  DATABASE_CONNECTIONS_MAX: databaseConnectionsMax,
  HOLD_SWEEP_INTERVAL_MS: wholeNumber(100, 600_000)
    .default(5_000)
    .describe('Interval between checks for expired holds.'),
  AUDIT_INTERVAL_MS: wholeNumber(1_000, 86_400_000)
    .default(900_000)
    .describe('Interval between audits of recent entries, across all replicas.'),
  AUDIT_STATEMENT_TIMEOUT_MS: wholeNumber(100, 600_000)
    .default(30_000)
    .describe('Deadline of one audit statement.'),
});

export type Config = z.output<typeof settings>;

export function loadConfig(environment: NodeJS.ProcessEnv): Config {
  return readConfig(settings, environment);
}

/** Loads the settings of the operator's commands. */
export function loadOperatorConfig(
  environment: NodeJS.ProcessEnv,
): Pick<Config, 'DATABASE_URL' | 'AUDIT_STATEMENT_TIMEOUT_MS'> {
  return readConfig(settings.pick({ DATABASE_URL: true, AUDIT_STATEMENT_TIMEOUT_MS: true }), environment);
}
