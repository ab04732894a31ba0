import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runner } from 'node-pg-migrate';
import type { InstallationSettings } from './installation-settings.ts';
import { provisionDatabase } from './roles.ts';
import { services } from './services.ts';

/**
 * Creates the database, its schemas and roles, and applies the migrations of every service. It can be rerun at any time
 * and run in parallel: existing objects are kept, but the roles get the given passwords.
 *
 * @throws Error when the database is unreachable, its administrator lacks a right, or a migration fails
 */
export async function installDatabase(
  { adminUrl, databaseUrls }: InstallationSettings,
  { root, report }: { readonly root: string; readonly report: (sentence: string) => void },
): Promise<void> {
  const urls = services.map(({ name }) => new URL(databaseUrls[name]));
  const database = decodeURIComponent(urls[0]?.pathname.slice(1) ?? '');
  const databases = await provisionDatabase({
    adminUrl,
    database,
    schemas: services.map(({ schema }) => schema),
    // Parallel runs must set the same passwords for the owners, and only these runs use them.
    passwordSeed: urls.map(url => url.password).join(),
    serviceRoles: Object.fromEntries(
      services.map(({ name, schema }) => {
        const { username, password } = new URL(databaseUrls[name]);
        return [schema, { role: username, password: decodeURIComponent(password) }];
      }),
    ),
  });
  report(`The database ${database} has its schemas and roles.`);
  for (const { name, schema } of services) {
    const directory = join(root, 'services', name, 'migrations');
    if (!existsSync(directory)) throw new Error(`The migrations of ${name} are missing: ${directory}.`);
    const urlsOfSchema = databases[schema];
    if (!urlsOfSchema) throw new Error(`The schema ${schema} was not created.`);
    const applied = await migrateService({ ...urlsOfSchema, schema, directory });
    report(`${name}: ${applied.length === 0 ? 'nothing new' : `applied ${applied.join(', ')}`}.`);
  }
}

const lockTimeoutMs = 60_000;

/** The table in each service's schema that lists the applied migrations. */
const migrationsTable = 'schema_migrations';

export interface MigrationRequest {
  readonly migrationDatabaseUrl: string;
  readonly schema: string;
  /** The folder with `0001_what_it_does.sql` and so on: plain SQL files, applied in numeric order. */
  readonly directory: string;
}

/** Applies all new migrations or none, and returns their names. */
export async function migrateService(request: MigrationRequest): Promise<string[]> {
  if (!existsSync(request.directory)) return [];
  const complaints: string[] = [];
  const keep = (line: string): void => {
    complaints.push(line);
  };
  try {
    const applied = await runner({
      // A run that waits for the lock of another run must not wait forever.
      databaseUrl: { connectionString: request.migrationDatabaseUrl, lock_timeout: lockTimeoutMs },
      schema: request.schema,
      migrationsSchema: request.schema,
      migrationsTable,
      dir: `${request.directory}/*.sql`,
      useGlob: true,
      direction: 'up',
      advisoryLockMode: 'wait',
      // The documentation of node-pg-migrate calls this the default, but only its command line sets it.
      singleTransaction: true,
      logger: { info() {}, warn: keep, error: keep },
    });
    return applied.map(({ name }) => name);
  } catch (error) {
    const message = `The migrations of the schema ${request.schema} (${request.directory}) failed.`;
    throw new Error([message, ...complaints, String(error)].join('\n'), { cause: error });
  }
}
