import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hireKeeper, migrateService, projectRoot, provisionDatabase } from '@mailproof/dev-house';

export interface BenchDatabase {
  readonly databaseUrl: string;
  stop(): Promise<void>;
}

/** A Postgres of the benchmark's own, whose answers mean that what was written is on the disk. */
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
      isDurable: true,
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
    const databases = await provisionDatabase({
      adminUrl: databaseAdminUrl,
      database: 'bench',
      schemas: ['ledger'],
    });
    const { ledger } = databases;
    if (!ledger) {
      throw new Error('The database of the ledger was not made.');
    }
    const directory = join(projectRoot, 'services', 'credit-ledger', 'migrations');
    await migrateService({ ...ledger, schema: 'ledger', directory });
    return { databaseUrl: ledger.databaseUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
