import { limits, type ValidationJobId } from '@mailproof/shared-types';
import { createAddressTally } from './address-tally.ts';
import { withFirstCell, withoutFirstCell } from './column-facts.ts';
import { nameColumns } from './column-names.ts';
import { IntakeFault, notReadable } from './intake-fault.ts';
import type { IntakeStore, JobContent, NewRow, Recount } from './intake-job.ts';

/** How the rows of a job are to be read. */
export interface Reading {
  readonly addressColumn?: number;
  readonly hasHeader?: boolean;
}

/**
 * Reads the rows of a job that waits for its start in another way, and counts them anew. Answers false where there is no
 * such job.
 *
 * @throws IntakeFault where it cannot be read in that way; everything stays as it was
 */
export function recountJob(
  store: Pick<IntakeStore, 'recount'>,
  jobId: ValidationJobId,
  reading: Reading,
): Promise<boolean> {
  return store.recount(jobId, 'ready', async (content, rows) => {
    const turned = await withHeader(content, rows, reading.hasHeader);
    const addressColumn = reading.addressColumn ?? turned.addressColumn;
    if (addressColumn >= turned.columns.length) {
      throw new IntakeFault(
        'invalid_request',
        `There is no column ${addressColumn}: there are ${turned.columns.length}, counted from 0.`,
      );
    }
    const changed = await countAnew({ ...turned, addressColumn }, rows);
    if (changed.counts.valid === 0) {
      throw new IntakeFault(
        'no_addresses_found',
        `No cell of the column “${changed.columns[addressColumn]}” is an email address.`,
      );
    }
    return changed;
  });
}

/** Counts the rows by the column that has the addresses. */
export async function countAnew(content: JobContent, rows: Recount): Promise<JobContent> {
  const tally = createAddressTally(() => content.layout?.encodingIsGuess ?? false);
  await rows.forgetAddresses();
  for await (const some of rows.cellsOf(content.addressColumn)) {
    await rows.write(
      some.map(({ rowNo, cell }): Omit<NewRow, 'cells'> => {
        const { row, isNew } = tally.count(cell);
        return { rowNo, ...row, ...(isNew && { isNew }) };
      }),
    );
  }
  return { ...content, counts: tally.counts(), addresses: tally.addresses() };
}

/** Makes the first row the header, or the header the first row. */
async function withHeader(
  content: JobContent,
  rows: Recount,
  hasHeader: boolean | undefined,
): Promise<JobContent> {
  const { layout, header, columns, columnFacts } = content;
  if (hasHeader === undefined || layout === null || layout.hasHeader === hasHeader) {
    return content;
  }
  if (hasHeader && content.counts.total === 1) {
    throw notReadable('The file has one line alone; with it as the header there are no rows.');
  }
  if (!hasHeader && content.counts.total === limits.jobRowsMax) {
    throw new IntakeFault('too_many_rows', `At most ${limits.jobRowsMax} rows are taken.`);
  }
  const first = hasHeader ? await rows.firstRow() : header;
  const factsOf = hasHeader ? withoutFirstCell : withFirstCell;
  await (hasHeader ? rows.removeFirstRow() : rows.addFirstRow(header));
  return {
    ...content,
    layout: { ...layout, hasHeader },
    header: hasHeader ? first : [],
    columns: nameColumns(hasHeader ? first : [], columns.length),
    columnFacts: columnFacts.map((facts, place) => factsOf(facts, first[place] ?? '')),
  };
}
