import { withClient } from '@mailproof/installation';

/** The columns of every table of a migrated schema, by table; tests compare with it what a service says of its tables. */
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
