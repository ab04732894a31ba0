import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  migrateService,
  provisionDatabase,
  type StoringServiceName,
  schemaOf,
  serviceDatabase,
} from '@mailproof/installation';
import { projectRoot } from '../project-root.ts';
import { startKeeper } from '../start-keeper.ts';
import { makeStateDirectory } from '../state-files.ts';

export interface BenchDatabase {
  /** Connects as the service's own role. */
  readonly databaseUrl: string;
  /** Connects as the owner of the schema, which may create indexes. */
  readonly ownerUrl: string;
  stop(): Promise<void>;
}

export interface BenchDatabaseOptions {
  /** Whether Postgres answers a write only after it is on disk, so that the measurement includes that cost. */
  readonly isDurable: boolean;
  readonly signal: AbortSignal;
}

/** Starts a Postgres for one benchmark, with the service's empty tables; stopping it removes its data. */
export async function startBenchDatabase(
  service: StoringServiceName,
  { isDurable, signal }: BenchDatabaseOptions,
): Promise<BenchDatabase> {
  const stateDir = await mkdtemp(join(tmpdir(), 'mailproof-bench-'));
  await makeStateDirectory(stateDir, { isNew: true });
  const keeper = await startKeeper(
    {
      projectRoot,
      stateDir,
      installationId: 'bench',
      isDurable,
      removeStateDirAfterward: true,
      postgresPassword: randomBytes(16).toString('hex'),
    },
    { signal },
  );
  const stop = () => keeper.stop();
  try {
    const schema = schemaOf(service);
    const request = { adminUrl: keeper.databaseAdminUrl as string, database: 'bench' };
    await provisionDatabase({ ...request, schemas: [schema] });
    const { databaseUrl, migrationDatabaseUrl } = serviceDatabase(request, schema);
    const directory = join(projectRoot, 'services', service, 'migrations');
    await migrateService({ migrationDatabaseUrl, schema, directory });
    return { databaseUrl, ownerUrl: migrationDatabaseUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
