import pg from 'pg';

/** The role that owns a service's schema and runs its migrations. */
export function ownerRole(schema: string): string {
  return `mailproof_${schema}_owner`;
}

/** The role that the running service connects as. */
export function runtimeRole(schema: string): string {
  return `mailproof_${schema}`;
}

/**
 * Whether a service may connect as this role: the runtime role, or its successor in a password rotation, which is named
 * after it, such as `mailproof_gateway_b` (docs/secrets-rotation.md).
 */
export function isRuntimeRole(role: string, schema: string): boolean {
  const base = runtimeRole(schema);
  return role === base || (role.startsWith(base) && /^_[a-z]{1,3}$/.test(role.slice(base.length)));
}

/** Creates the role if it does not exist, and sets the password either way. Roles belong to the whole cluster. */
export function roleSql(role: string, schema: string, password: string): string[] {
  const name = pg.escapeIdentifier(role);
  return [
    createRoleSql(role),
    `ALTER ROLE ${name} WITH LOGIN NOCREATEDB NOCREATEROLE PASSWORD ${pg.escapeLiteral(password)}`,
    `ALTER ROLE ${name} SET search_path = ${pg.escapeIdentifier(schema)}`,
  ];
}

/**
 * Creates the successor of a runtime role, which gets its rights as a member of that role. Whether the runtime role
 * itself may still log in is not changed: older replicas may still use it, or its login may already be disabled.
 */
export function successorSql(role: string, schema: string, password: string): string[] {
  const base = runtimeRole(schema);
  return [
    createRoleSql(base),
    ...roleSql(role, schema, password),
    `GRANT ${pg.escapeIdentifier(base)} TO ${pg.escapeIdentifier(role)}`,
  ];
}

function createRoleSql(role: string): string {
  return `DO $role$ BEGIN
       IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = ${pg.escapeLiteral(role)}) THEN
         CREATE ROLE ${pg.escapeIdentifier(role)};
       END IF;
     END $role$`;
}

/** Only the two roles of each schema in a database may connect to it. These rights are not copied from a template. */
export function databaseAccessSql(database: string, schemas: readonly string[]): string[] {
  const name = pg.escapeIdentifier(database);
  return [
    `REVOKE ALL ON DATABASE ${name} FROM PUBLIC`,
    ...schemas.flatMap(schema =>
      [ownerRole(schema), runtimeRole(schema)].map(
        role => `GRANT CONNECT ON DATABASE ${name} TO ${pg.escapeIdentifier(role)}`,
      ),
    ),
  ];
}

/** Gives a service its schema. The runtime role may use it; its rights on tables come from the migrations. */
export function schemaSql(schema: string): string[] {
  const name = pg.escapeIdentifier(schema);
  return [
    'REVOKE ALL ON SCHEMA public FROM PUBLIC',
    `CREATE SCHEMA IF NOT EXISTS ${name} AUTHORIZATION ${pg.escapeIdentifier(ownerRole(schema))}`,
    `REVOKE ALL ON SCHEMA ${name} FROM PUBLIC`,
    `GRANT USAGE ON SCHEMA ${name} TO ${pg.escapeIdentifier(runtimeRole(schema))}`,
  ];
}
