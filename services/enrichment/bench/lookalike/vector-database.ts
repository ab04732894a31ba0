import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { migrateService, provisionDatabase } from '@mailproof/dev-house';
import pg from 'pg';

const schema = 'enrichment';

export interface VectorDatabase {
  /** Connects as the role of the service. */
  readonly databaseUrl: string;
  /** Connects as the administrator. */
  readonly adminUrl: string;
  drop(): Promise<void>;
}

/** Creates a separate database with the store's tables, on a server with pgvector; with the extension if requested. */
export async function createVectorDatabase(
  serverUrl: string,
  { extension }: { extension: boolean },
): Promise<VectorDatabase> {
  const database = `mailproof_vectors_${randomBytes(4).toString('hex')}`;
  const roles = await provisionDatabase({
    adminUrl: serverUrl,
    database,
    schemas: [schema],
    passwordSeed: database,
  });
  const urls = roles[schema];
  if (urls === undefined) {
    throw new Error('The database was not provisioned.');
  }
  await migrateService({
    migrationDatabaseUrl: urls.migrationDatabaseUrl,
    schema,
    directory: fileURLToPath(new URL('../../migrations', import.meta.url)),
  });
  const adminUrl = new URL(serverUrl);
  adminUrl.pathname = database;
  if (extension) {
    await run(adminUrl.href, `CREATE EXTENSION vector SCHEMA ${schema}`);
  }
  return {
    databaseUrl: urls.databaseUrl,
    adminUrl: adminUrl.href,
    drop: () => run(serverUrl, `DROP DATABASE ${database} WITH (FORCE)`),
  };
}

async function run(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
