import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { OperatorError } from '@mailproof/service-kit';
import { safeCell } from '@mailproof/shared-types';

/** The rows that were refused, as CSV. */
export interface ReportFile {
  write(row: { readonly line: number; readonly reason: string; readonly column?: string | undefined }): void;
  /** Waits until what was written has left the process. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a report; an import that goes on adds to it. */
export async function openReport(path: string): Promise<ReportFile> {
  let isNew = true;
  try {
    const file = await open(path, 'a');
    isNew = (await file.stat()).size === 0;
    await file.close();
  } catch (error) {
    throw new OperatorError(`The report ${path} cannot be written: ${(error as Error).message}`);
  }
  const stream = createWriteStream(path, { flags: 'a' });
  let isFull = false;
  stream.on('drain', () => {
    isFull = false;
  });
  const put = (text: string) => {
    isFull = !stream.write(text);
  };
  if (isNew) put('line,reason,column\n');
  return {
    write: ({ line, reason, column }) =>
      put(`${line},${reason},${column === undefined ? '' : quoted(column)}\n`),
    async flush() {
      if (isFull) await once(stream, 'drain');
    },
    async close() {
      stream.end();
      await once(stream, 'close');
    },
  };
}

/** A column's name comes from the file: it must not become a formula where the report is opened. */
function quoted(text: string): string {
  return `"${safeCell(text).replaceAll('"', '""')}"`;
}
