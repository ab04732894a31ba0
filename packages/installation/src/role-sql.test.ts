import { describe, expect, test } from '@jest/globals';
import { databaseAccessSql, roleSql, schemaSql, successorSql } from './role-sql.ts';

describe('the SQL that provisions a database', () => {
  test('quotes literals and identifiers of any spelling', () => {
    const [create, alter, searchPath] = roleSql(`ro"le'`, `sch"ema`, `pass'word\\`);
    expect(create).toContain(`rolname = 'ro"le'''`);
    expect(create).toContain(`CREATE ROLE "ro""le'"`);
    expect(alter).toBe(`ALTER ROLE "ro""le'" WITH LOGIN NOCREATEDB NOCREATEROLE PASSWORD  E'pass''word\\\\'`);
    expect(searchPath).toBe(`ALTER ROLE "ro""le'" SET search_path = "sch""ema"`);
  });

  test('keeps the login of a role when it creates its successor', () => {
    const statements = successorSql('mailproof_ledger_b', 'ledger', 'new');
    expect(statements.filter(statement => statement.startsWith('ALTER ROLE "mailproof_ledger" '))).toEqual(
      [],
    );
    expect(statements.at(-1)).toBe('GRANT "mailproof_ledger" TO "mailproof_ledger_b"');
  });

  test('allows only the roles of its schemas to connect to a database', () => {
    expect(databaseAccessSql('house', ['ledger'])).toEqual([
      'REVOKE ALL ON DATABASE "house" FROM PUBLIC',
      'GRANT CONNECT ON DATABASE "house" TO "mailproof_ledger_owner"',
      'GRANT CONNECT ON DATABASE "house" TO "mailproof_ledger"',
    ]);
  });

  test('gives the runtime role the use of the schema and no more', () => {
    const grants = schemaSql('ledger').filter(statement => statement.startsWith('GRANT'));
    expect(grants).toEqual(['GRANT USAGE ON SCHEMA "ledger" TO "mailproof_ledger"']);
  });
});
