import { existsSync } from 'node:fs';
import { runner } from 'node-pg-migrate';

const lockTimeoutMs = 60_000;

/** The table, in each service's own schema, that lists what has been applied. */
const migrationsTable = 'schema_migrations';

export interface MigrationRequest {
  readonly migrationDatabaseUrl: string;
  readonly schema: string;
  /** Holds `0001_what_it_does.sql` and so on: plain SQL, applied in the order of the numbers. */
  readonly directory: string;
}

/** Applies what is new, all of it or nothing, and answers the names of what it applied. */
export async function migrateService(request: MigrationRequest): Promise<string[]> {
  if (!existsSync(request.directory)) return [];
  const complaints: string[] = [];
  const keep = (line: string): void => {
    complaints.push(line);
  };
  try {
    const applied = await runner({
      // A run that waits for another one's lock must not wait for ever.
      databaseUrl: { connectionString: request.migrationDatabaseUrl, lock_timeout: lockTimeoutMs },
      schema: request.schema,
      migrationsSchema: request.schema,
      migrationsTable,
      dir: `${request.directory}/*.sql`,
      useGlob: true,
      direction: 'up',
      advisoryLockMode: 'wait',
      logger: { info() {}, warn: keep, error: keep },
    });
    return applied.map(({ name }) => name);
  } catch (error) {
    const message = `The migrations of the schema ${request.schema} (${request.directory}) failed.`;
    throw new Error([message, ...complaints, String(error)].join('\n'), { cause: error });
  }
}
