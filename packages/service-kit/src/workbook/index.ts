import type { createOpenSheet as create } from './open-sheet.ts';
import type { OpenSheet } from './sheet.ts';

export { createOneAtATime } from './one-at-a-time.ts';
export type { OpenedSheet, OpenSheet, SheetRow } from './sheet.ts';
export { spool } from './spool.ts';
export { WorkbookFault } from './workbook-fault.ts';

/** Like the function of open-sheet.ts, which is loaded with the first workbook: with its libraries, it takes 2 MB. */
export function createOpenSheet(ports: Parameters<typeof create>[0]): OpenSheet {
  return async (...asked) => {
    const reader = await import('./open-sheet.ts');
    return reader.createOpenSheet(ports)(...asked);
  };
}
