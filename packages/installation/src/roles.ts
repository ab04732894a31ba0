import { createHmac } from 'node:crypto';
import pg from 'pg';
import { databaseAccessSql, ownerRole, roleSql, runtimeRole, schemaSql, successorSql } from './role-sql.ts';

/** The URLs with which a service reaches its own schema and nothing else. */
export interface ServiceDatabase {
  /** The URL for the runtime role. */
  readonly databaseUrl: string;
  /** The URL for the owner of the schema. */
  readonly migrationDatabaseUrl: string;
}

export interface ProvisionRequest {
  readonly adminUrl: string;
  readonly database: string;
  readonly schemas: readonly string[];
  /** The key from which the roles' passwords are derived if the administrator's URL has no password. */
  readonly passwordSeed?: string;
  /** Roles of services with given passwords, by schema; the other passwords are derived. */
  readonly serviceRoles?: Readonly<Record<string, ServiceRole>>;
}

/** The role of a service's connections: the runtime role of its schema, or a successor of it. */
export interface ServiceRole {
  readonly role: string;
  readonly password: string;
}

/** The number is arbitrary, but every run must use the same. */
const provisioningLock = 7_061_994_412;
const lockTimeoutMs = 60_000;

/**
 * Creates the database, and for each schema the two roles and the schema itself. It can be rerun at any time: existing
 * objects are kept. Parallel runs wait for each other, because Postgres refuses two concurrent changes to one role.
 * Advisory locks apply per database, so all runs take the lock in the administrator's database.
 */
export async function provisionDatabase(request: ProvisionRequest): Promise<Record<string, ServiceDatabase>> {
  const { adminUrl, database, schemas } = request;
  await withClient(adminUrl, async admin => {
    await admin.query(`SET lock_timeout = ${lockTimeoutMs}`);
    await admin.query('SELECT pg_advisory_lock($1)', [provisioningLock]);
    await createDatabase(admin, database);
    for (const schema of schemas) {
      const owner = ownerRole(schema);
      await runAll(admin, roleSql(owner, schema, rolePassword(request, owner)));
      const { role, password } = serviceRole(request, schema);
      const isSuccessor = role !== runtimeRole(schema);
      await runAll(admin, (isSuccessor ? successorSql : roleSql)(role, schema, password));
      await letAdministratorActAs(admin, owner);
    }
    await runAll(admin, databaseAccessSql(database, schemas));
    await withClient(withDatabase(adminUrl, database), async inside => {
      for (const schema of schemas) await runAll(inside, schemaSql(schema));
    });
  });
  return Object.fromEntries(schemas.map(schema => [schema, serviceDatabase(request, schema)]));
}

/** Returns the URLs of a schema in a database that was provisioned, or cloned from a provisioned one. */
export function serviceDatabase(request: Omit<ProvisionRequest, 'schemas'>, schema: string): ServiceDatabase {
  function urlFor({ role, password }: ServiceRole): string {
    const url = new URL(withDatabase(request.adminUrl, request.database));
    url.username = role;
    url.password = password;
    return url.href;
  }
  const owner = ownerRole(schema);
  return {
    databaseUrl: urlFor(serviceRole(request, schema)),
    migrationDatabaseUrl: urlFor({ role: owner, password: rolePassword(request, owner) }),
  };
}

function serviceRole(request: Omit<ProvisionRequest, 'schemas'>, schema: string): ServiceRole {
  const role = runtimeRole(schema);
  return request.serviceRoles?.[schema] ?? { role, password: rolePassword(request, role) };
}

export async function withClient<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${encodeURIComponent(database)}`;
  return changed.href;
}

/**
 * The password is derived instead of random: roles belong to the cluster, so several runs against one cluster (parallel
 * test files, a start during a test) must agree on the passwords without shared storage. Anyone who can derive them
 * already has the administrator's password.
 */
function rolePassword(request: Omit<ProvisionRequest, 'schemas'>, role: string): string {
  const { adminUrl, passwordSeed } = request;
  const key = new URL(adminUrl).password || passwordSeed;
  if (!key)
    throw new Error('The URL of the Postgres administrator contains no password to derive the roles’ from.');
  return createHmac('sha256', key).update(`mailproof role ${role}`).digest('base64url');
}

async function createDatabase(admin: pg.Client, database: string): Promise<void> {
  const { rowCount } = await admin.query('SELECT FROM pg_database WHERE datname = $1', [database]);
  if (!rowCount) await admin.query(`CREATE DATABASE ${pg.escapeIdentifier(database)}`);
}

/**
 * An administrator that is not a superuser may assign a schema only to a role that it may act as. Since Postgres 16,
 * the creator of a role is a member of it without that right, so the check differs by version.
 */
async function letAdministratorActAs(admin: pg.Client, role: string): Promise<void> {
  const { rows } = await admin.query<{ may: boolean }>(
    `SELECT rolsuper OR pg_has_role(current_user, $1, CASE
       WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END) AS may
     FROM pg_roles WHERE rolname = current_user`,
    [role],
  );
  if (!rows[0]?.may) await admin.query(`GRANT ${pg.escapeIdentifier(role)} TO CURRENT_USER`);
}

async function runAll(client: pg.Client, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await client.query(statement);
}
