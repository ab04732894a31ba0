import type { PoolClient } from 'pg';
import type { NewRow, Recount } from '../../domain/intake/intake-job.ts';

/** How many rows a batch of a recount has. */
const rowsAtOnceMax = 2_000;

export async function insertAddresses(
  client: PoolClient,
  jobNo: string,
  rows: readonly Pick<NewRow, 'isNew'>[],
): Promise<void> {
  const addresses = rows.flatMap(({ isNew }) => isNew ?? []);
  if (addresses.length === 0) {
    return;
  }
  await client.query(
    `INSERT INTO validation_job_address (job_no, address_no, email, normalised)
     SELECT $1, * FROM unnest($2::int[], $3::text[], $4::text[])`,
    [
      jobNo,
      addresses.map(({ addressNo }) => addressNo),
      addresses.map(({ email }) => email),
      addresses.map(({ normalized }) => normalized),
    ],
  );
}

export async function insertRows(client: PoolClient, jobNo: string, rows: readonly NewRow[]): Promise<void> {
  await client.query(
    `INSERT INTO validation_job_row (job_no, row_no, cells, address_no, fault, is_duplicate)
     SELECT $1, row_no, cells::text[], address_no, fault, is_duplicate
     FROM unnest($2::int[], $3::text[], $4::int[], $5::text[], $6::boolean[])
       AS r (row_no, cells, address_no, fault, is_duplicate)`,
    [jobNo, rows.map(({ rowNo }) => rowNo), rows.map(({ cells }) => arrayText(cells)), ...rowValues(rows)],
  );
}

function rowValues(rows: readonly Omit<NewRow, 'cells'>[]): unknown[] {
  return [
    rows.map(({ addressNo }) => addressNo),
    rows.map(({ fault }) => fault),
    rows.map(({ isDuplicate }) => isDuplicate),
  ];
}

/** An array as a Postgres literal, since rows of different lengths cannot form a two-dimensional array. */
function arrayText(cells: readonly string[]): string {
  return `{${cells.map(cell => `"${cell.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}

/** Processes the rows of a job that the client's transaction has locked. */
export function createRecount(client: PoolClient, jobNo: string): Recount {
  return {
    async firstRow() {
      const { rows } = await client.query<{ cells: string[] }>(
        'SELECT cells FROM validation_job_row WHERE job_no = $1 AND row_no = 1',
        [jobNo],
      );
      return rows[0]?.cells ?? [];
    },
    addFirstRow: cells =>
      insertRows(client, jobNo, [{ rowNo: 1, cells, addressNo: null, fault: 'blank', isDuplicate: false }]),
    async removeFirstRow() {
      await client.query('DELETE FROM validation_job_row WHERE job_no = $1 AND row_no = 1', [jobNo]);
    },
    async forgetAddresses() {
      await client.query('DELETE FROM validation_job_address WHERE job_no = $1', [jobNo]);
    },
    async *cellsOf(column) {
      let after = 0;
      for (;;) {
        const { rows } = await client.query<{ row_no: number; cell: string }>(
          `SELECT row_no, coalesce(cells[$3::int + 1], '') AS cell FROM validation_job_row
           WHERE job_no = $1 AND row_no > $2 ORDER BY row_no LIMIT ${rowsAtOnceMax}`,
          [jobNo, after, column],
        );
        const last = rows.at(-1);
        if (!last) {
          return;
        }
        yield rows.map(({ row_no: rowNo, cell }) => ({ rowNo, cell }));
        after = last.row_no;
      }
    },
    async write(rows) {
      await insertAddresses(client, jobNo, rows);
      await client.query(
        `UPDATE validation_job_row r SET address_no = n.address_no, fault = n.fault, is_duplicate = n.is_duplicate
         FROM unnest($2::int[], $3::int[], $4::text[], $5::boolean[]) AS n (row_no, address_no, fault, is_duplicate)
         WHERE r.job_no = $1 AND r.row_no = n.row_no`,
        [jobNo, rows.map(({ rowNo }) => rowNo), ...rowValues(rows)],
      );
    },
  };
}
