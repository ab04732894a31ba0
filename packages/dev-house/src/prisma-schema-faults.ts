import { readFile } from 'node:fs/promises';
import { withClient } from '@mailproof/installation';
import { getDMMF } from '@prisma/get-dmmf';

/** The Postgres type that our migrations use for each scalar type of Prisma. */
const columnTypes: Readonly<Record<string, string>> = {
  String: 'text',
  Boolean: 'boolean',
  Int: 'integer',
  BigInt: 'bigint',
  Bytes: 'bytea',
  DateTime: 'timestamp with time zone',
  Json: 'jsonb',
  Float: 'double precision',
};

/** Those of its native types (`@db.…`) that say something else. */
const nativeTypes: Readonly<Record<string, string>> = { Date: 'date' };

/**
 * Compares a service's Prisma schema with its migrated tables and tells every difference in words. Prisma's own
 * comparison needs an engine that it downloads; this needs the database alone.
 */
export async function prismaSchemaFaults(databaseUrl: string, schemaFile: URL): Promise<string[]> {
  const described = await describedColumns(await readFile(schemaFile, 'utf8'));
  const migrated = await migratedColumns(databaseUrl);
  if (described.size === 0) return [`${schemaFile.pathname} describes no table`];
  const faults: string[] = [];
  for (const [column, form] of described) {
    const found = migrated.get(column);
    if (found !== form)
      faults.push(`${column}: the schema says ${form}, the database ${found ?? 'has no such column'}`);
  }
  for (const column of migrated.keys()) {
    if (!described.has(column)) faults.push(`${column}: the database has it, the schema does not`);
  }
  return faults;
}

async function describedColumns(datamodel: string): Promise<Map<string, string>> {
  const document = await getDMMF({ datamodel });
  if (!('datamodel' in document)) throw new Error('the Prisma schema cannot be read', { cause: document });
  return new Map(
    document.datamodel.models.flatMap(model =>
      model.fields
        .filter(({ kind }) => kind === 'scalar')
        .map(field => [
          `${model.dbName ?? model.name}.${field.dbName ?? field.name}`,
          `${typeOf(field)}${field.isRequired ? '' : ' or null'}`,
        ]),
    ),
  );
}

/** The information schema calls every array the same. */
function typeOf(field: {
  readonly type: string;
  readonly isList: boolean;
  readonly nativeType?: readonly [string, readonly string[]] | null;
}): string {
  const native = field.nativeType && nativeTypes[field.nativeType[0]];
  return field.isList ? 'ARRAY' : (native ?? columnTypes[field.type] ?? field.type);
}

async function migratedColumns(databaseUrl: string): Promise<Map<string, string>> {
  const { rows } = await withClient(databaseUrl, client =>
    client.query<{ table_name: string; column_name: string; data_type: string; is_nullable: 'YES' | 'NO' }>(`
      SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns
      WHERE table_schema = current_schema() AND table_name <> 'schema_migrations'`),
  );
  return new Map(
    rows.map(row => [
      `${row.table_name}.${row.column_name}`,
      `${row.data_type}${row.is_nullable === 'YES' ? ' or null' : ''}`,
    ]),
  );
}
