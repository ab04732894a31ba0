import pg from 'pg';

/** The role that owns a service's schema and runs its migrations. */
export function ownerRole(schema: string): string {
  return `mailproof_${schema}_owner`;
}

/** The role that the running service connects as. */
export function runtimeRole(schema: string): string {
  return `mailproof_${schema}`;
}

/** Creates the role unless it stands, and gives it the password either way. Roles belong to the whole cluster. */
export function roleSql(role: string, schema: string, password: string): string[] {
  const name = pg.escapeIdentifier(role);
  return [
    `DO $role$ BEGIN
       IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = ${pg.escapeLiteral(role)}) THEN
         CREATE ROLE ${name};
       END IF;
     END $role$`,
    `ALTER ROLE ${name} WITH LOGIN NOCREATEDB NOCREATEROLE PASSWORD ${pg.escapeLiteral(password)}`,
    `ALTER ROLE ${name} SET search_path = ${pg.escapeIdentifier(schema)}`,
  ];
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
