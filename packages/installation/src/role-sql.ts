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
 * Whether a service may connect as this role: the runtime role, or one that has succeeded it in a rotation of passwords and
 * is named after it, as `mailproof_gateway_b` (docs/secrets-rotation.md).
 */
export function isRuntimeRole(role: string, schema: string): boolean {
  const base = runtimeRole(schema);
  return role === base || (role.startsWith(base) && /^_[a-z]{1,3}$/.test(role.slice(base.length)));
}

/** Creates the role unless it stands, and gives it the password either way. Roles belong to the whole cluster. */
export function roleSql(role: string, schema: string, password: string): string[] {
  const name = pg.escapeIdentifier(role);
  return [
    createRoleSql(role),
    `ALTER ROLE ${name} WITH LOGIN NOCREATEDB NOCREATEROLE PASSWORD ${pg.escapeLiteral(password)}`,
    `ALTER ROLE ${name} SET search_path = ${pg.escapeIdentifier(schema)}`,
  ];
}

/**
 * Creates the successor of a runtime role, which has its rights by being a member of it. Whether the runtime role itself may
 * still sign in is left as it is: replicas of before may be doing so, or the door has been closed.
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

/** Who may connect to a database: nobody but the two roles of each schema in it. Not copied from a template. */
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

/** Gives a service its schema. The runtime role may look into it; its rights on tables come from the migrations. */
export function schemaSql(schema: string): string[] {
  const name = pg.escapeIdentifier(schema);
  return [
    'REVOKE ALL ON SCHEMA public FROM PUBLIC',
    `CREATE SCHEMA IF NOT EXISTS ${name} AUTHORIZATION ${pg.escapeIdentifier(ownerRole(schema))}`,
    `REVOKE ALL ON SCHEMA ${name} FROM PUBLIC`,
    `GRANT USAGE ON SCHEMA ${name} TO ${pg.escapeIdentifier(runtimeRole(schema))}`,
  ];
}
