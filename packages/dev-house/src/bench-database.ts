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
import { hireKeeper } from './hire-keeper.ts';
import { projectRoot } from './project-root.ts';
import { makeStateDirectory } from './state-files.ts';

export interface BenchDatabase {
  /** As the role that the service itself connects as. */
  readonly databaseUrl: string;
  /** As the owner of the schema, who may make indexes. */
  readonly ownerUrl: string;
  stop(): Promise<void>;
}

export interface BenchDatabaseOptions {
  /** Whether an answer means that what was written is on the disk: what is measured has to pay for that, or not. */
  readonly isDurable: boolean;
  readonly signal: AbortSignal;
}

/** A Postgres of a benchmark's own with the service's tables, empty; it is gone with the benchmark. */
export async function startBenchDatabase(
  service: StoringServiceName,
  { isDurable, signal }: BenchDatabaseOptions,
): Promise<BenchDatabase> {
  const stateDir = await mkdtemp(join(tmpdir(), 'mailproof-bench-'));
  await makeStateDirectory(stateDir, { isNew: true });
  const keeper = await hireKeeper(
    {
      projectRoot,
      stateDir,
      installationId: 'bench',
      isDurable,
      removeStateDirAfterwards: true,
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
