import type { PoolClient } from 'pg';
import type { NewRow, Recount } from '../../domain/intake/intake-job.ts';
import { sql } from './intake.sql.ts';

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
  await sql.insert_addresses(client, {
    job_no: jobNo,
    address_nos: addresses.map(({ addressNo }) => addressNo),
    emails: addresses.map(({ email }) => email),
    normalized: addresses.map(({ normalized }) => normalized),
  });
}

export async function insertRows(client: PoolClient, jobNo: string, rows: readonly NewRow[]): Promise<void> {
  await sql.insert_rows(client, {
    ...rowValues(jobNo, rows),
    cells: rows.map(({ cells }) => arrayText(cells)),
  });
}

function rowValues(jobNo: string, rows: readonly Omit<NewRow, 'cells'>[]) {
  return {
    job_no: jobNo,
    row_nos: rows.map(({ rowNo }) => rowNo),
    address_nos: rows.map(({ addressNo }) => addressNo),
    faults: rows.map(({ fault }) => fault),
    are_duplicates: rows.map(({ isDuplicate }) => isDuplicate),
  };
}

/** An array as a Postgres literal. */
function arrayText(cells: readonly string[]): string {
  return `{${cells.map(cell => `"${cell.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}

/** Processes the rows of a job that the client's transaction has locked. */
export function createRecount(client: PoolClient, jobNo: string): Recount {
  return {
    async firstRow() {
      const { rows } = await sql.first_row(client, { job_no: jobNo });
      return rows[0]?.cells ?? [];
    },
    addFirstRow: cells =>
      insertRows(client, jobNo, [{ rowNo: 1, cells, addressNo: null, fault: 'blank', isDuplicate: false }]),
    async removeFirstRow() {
      await sql.remove_first_row(client, { job_no: jobNo });
    },
    async forgetAddresses() {
      await sql.forget_addresses(client, { job_no: jobNo });
    },
    async *cellsOf(column) {
      let after = 0;
      for (;;) {
        const { rows } = await sql.cells_of_column(client, {
          job_no: jobNo,
          after,
          column,
          rows_max: rowsAtOnceMax,
        });
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
      await sql.update_rows(client, rowValues(jobNo, rows));
    },
  };
}
