import { limits, type ValidationJobId } from '@mailproof/shared-types';
import { createAddressTally } from './address-tally.ts';
import { withFirstCell, withoutFirstCell } from './column-facts.ts';
import { nameColumns } from './column-names.ts';
import { IntakeFault, notReadable } from './intake-fault.ts';
import type { IntakeStore, JobContent, NewRow, Recount } from './intake-job.ts';

/** How to read the rows of a job. */
export interface Reading {
  readonly addressColumn?: number;
  readonly hasHeader?: boolean;
}

/**
 * Rereads the rows of a job that waits for its start in a different way, and recounts them. Returns false if there is
 * no such job.
 *
 * @throws IntakeFault if the rows cannot be read in that way; the job then remains unchanged
 */
export function recountJob(
  store: Pick<IntakeStore, 'recount'>,
  jobId: ValidationJobId,
  { isSandbox, ...reading }: Reading & { readonly isSandbox: boolean },
): Promise<boolean> {
  return store.recount(jobId, 'ready', async (content, rows) => {
    const turned = await withHeader(content, rows, reading.hasHeader);
    const addressColumn = reading.addressColumn ?? turned.addressColumn;
    if (addressColumn >= turned.columns.length) {
      throw new IntakeFault(
        'invalid_request',
        `Column ${addressColumn} does not exist: there are ${turned.columns.length}, counted from 0.`,
      );
    }
    const changed = await countRows({ ...turned, addressColumn }, rows, isSandbox);
    if (changed.counts.valid === 0) {
      throw new IntakeFault(
        'no_addresses_found',
        `The column “${changed.columns[addressColumn]}” contains no email address.`,
      );
    }
    return changed;
  });
}

/**
 * Counts the rows by the address column.
 *
 * @throws IntakeFault if a test key sent an address that is not one of the sandbox
 */
export async function countRows(content: JobContent, rows: Recount, isSandbox: boolean): Promise<JobContent> {
  const encodingIsGuess = () => content.layout?.encodingIsGuess ?? false;
  const tally = createAddressTally({ encodingIsGuess, isSandbox });
  await rows.forgetAddresses();
  for await (const some of rows.cellsOf(content.addressColumn)) {
    await rows.write(
      some.map(({ rowNo, cell }): Omit<NewRow, 'cells'> => {
        const { row, isNew } = tally.count(cell);
        return { rowNo, ...row, ...(isNew && { isNew }) };
      }),
    );
  }
  tally.assertAllowed();
  return { ...content, counts: tally.counts(), addresses: tally.addresses() };
}

/** Turns the first row into the header, or the header into the first row. */
async function withHeader(
  content: JobContent,
  rows: Recount,
  hasHeader: boolean | undefined,
): Promise<JobContent> {
  const { layout, header, columns, columnFacts } = content;
  if (hasHeader === undefined || !layout || layout.format === 'ndjson' || layout.hasHeader === hasHeader) {
    return content;
  }
  if (hasHeader && content.counts.total === 1) {
    throw notReadable('The file has only one line; with that line as the header there are no rows.');
  }
  if (!hasHeader && content.counts.total === limits.jobRowsMax) {
    throw new IntakeFault('too_many_rows', `A job can have at most ${limits.jobRowsMax} rows.`);
  }
  const first = hasHeader ? await rows.firstRow() : header;
  const factsOf = hasHeader ? withoutFirstCell : withFirstCell;
  await (hasHeader ? rows.removeFirstRow() : rows.addFirstRow(header));
  return {
    ...content,
    layout: { ...layout, hasHeader },
    header: hasHeader ? first : [],
    columns: nameColumns(hasHeader ? first : [], columns.length),
    columnFacts: columnFacts.map((facts, index) => factsOf(facts, first[index] ?? '')),
  };
}
