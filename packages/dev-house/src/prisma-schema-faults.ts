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

/** Native types of Prisma (`@db.…`) that differ from the scalar type. */
const nativeTypes: Readonly<Record<string, string>> = { Date: 'date' };

/**
 * Compares a service's Prisma schema with its migrated tables and describes every difference. Prisma's own comparison
 * must download an engine; this needs only the database.
 */
export async function prismaSchemaFaults(databaseUrl: string, schemaFile: string): Promise<string[]> {
  const described = await describedColumns(await readFile(schemaFile, 'utf8'));
  const migrated = await migratedColumns(databaseUrl);
  if (described.size === 0) return [`${schemaFile} describes no table`];
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

/** Returns the column type as in the information schema, which has only one name for all arrays. */
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
      SELECT table_name, column_name, data_type, is_nullable
      FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
      WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' AND table_name <> 'schema_migrations'`),
  );
  return new Map(
    rows.map(row => [
      `${row.table_name}.${row.column_name}`,
      `${row.data_type}${row.is_nullable === 'YES' ? ' or null' : ''}`,
    ]),
  );
}

/** Returns the columns of a migrated schema, by table; tests compare them with a service's declarations. */
export async function columnsOfSchema(databaseUrl: string): Promise<Map<string, string[]>> {
  const { rows } = await withClient(databaseUrl, client =>
    client.query<{ table: string; columns: string[] }>(`
      SELECT relation.relname AS "table", array_agg(attribute.attname::text ORDER BY attribute.attnum) AS columns
      FROM pg_class AS relation JOIN pg_attribute AS attribute ON attribute.attrelid = relation.oid
      WHERE relation.relnamespace = current_schema()::regnamespace AND relation.relkind IN ('r', 'p')
        AND attribute.attnum > 0 AND NOT attribute.attisdropped
      GROUP BY relation.relname ORDER BY relation.relname`),
  );
  return new Map(rows.map(({ table, columns }) => [table, columns]));
}
