import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hireKeeper, migrateService, projectRoot, provisionDatabase } from '@mailproof/dev-house';

export interface BenchDatabase {
  readonly databaseUrl: string;
  /** Of the role that may make indexes. */
  readonly ownerUrl: string;
  stop(): Promise<void>;
}

/** A Postgres of the benchmark's own, which is gone with it. */
export async function startBenchDatabase(signal: AbortSignal): Promise<BenchDatabase> {
  const stateDir = await mkdtemp(join(tmpdir(), 'mailproof-bench-'));
  await mkdir(join(stateDir, 'logs'));
  // Under root, Postgres runs as another user, who has to get through to its data.
  await chmod(stateDir, 0o755);
  const keeper = await hireKeeper(
    {
      projectRoot,
      stateDir,
      installationId: 'bench',
      isDurable: false,
      removeStateDirAfterwards: true,
      postgresPassword: randomBytes(16).toString('hex'),
    },
    { signal },
  );
  async function stop(): Promise<void> {
    await keeper.stop();
    await rm(stateDir, { recursive: true, force: true });
  }
  try {
    const { databaseAdminUrl = '' } = keeper;
    const { enrichment } = await provisionDatabase({
      adminUrl: databaseAdminUrl,
      database: 'bench',
      schemas: ['enrichment'],
    });
    if (!enrichment) {
      throw new Error('The database of the profile store was not made.');
    }
    const directory = join(projectRoot, 'services', 'enrichment', 'migrations');
    await migrateService({ ...enrichment, schema: 'enrichment', directory });
    return { databaseUrl: enrichment.databaseUrl, ownerUrl: enrichment.migrationDatabaseUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
