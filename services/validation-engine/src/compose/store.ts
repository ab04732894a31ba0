import { openPostgres } from '@mailproof/service-kit';
import type { Pool } from 'pg';
import { createDoNotProbeStore } from '../adapters/postgres/do-not-probe-store.ts';
import { createLabeledSnapshots } from '../adapters/postgres/evidence-snapshots.ts';
import type { LabeledSnapshots } from '../domain/catch-all/fit/labeled.ts';
import type { DoNotProbeStore } from '../domain/standing/do-not-probe.ts';

export const schema = 'validation';

interface StoreOptions {
  readonly databaseUrl: string;
  readonly applicationName: string;
  readonly connectionsMax: number;
  readonly onIdleError: (error: unknown) => void;
}

/** Opens the engine's tables. */
export function openStore({ databaseUrl, ...options }: StoreOptions): {
  readonly pool: Pool;
  close(): Promise<void>;
} {
  const pool = openPostgres({ connectionString: databaseUrl, schema, ...options });
  return { pool, close: () => pool.end() };
}

interface DatabaseConfig {
  readonly DATABASE_URL: string;
}

/** Builds the store for the operator's commands. */
export function composeOperator(config: DatabaseConfig): {
  doNotProbe: DoNotProbeStore;
  close(): Promise<void>;
} {
  const { pool, close } = openForCommand(config, 'mailproof-validation-engine-operator');
  return { doNotProbe: createDoNotProbeStore(pool), close };
}

/** Builds the store for fitting weights. */
export function composeLabeledSnapshots(
  config: DatabaseConfig,
): LabeledSnapshots & { close(): Promise<void> } {
  const { pool, close } = openForCommand(config, 'mailproof-fit-weights');
  return { ...createLabeledSnapshots(pool), close };
}

function openForCommand({ DATABASE_URL: databaseUrl }: DatabaseConfig, applicationName: string) {
  return openStore({ databaseUrl, applicationName, connectionsMax: 1, onIdleError: () => undefined });
}
