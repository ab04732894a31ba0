export { createOneAtATime } from './one-at-a-time.ts';
export { createOpenSheet } from './open-sheet.ts';
export type { OpenedSheet, OpenSheet, SheetRow } from './sheet.ts';
export { spool } from './spool.ts';
export { WorkbookFault } from './workbook-fault.ts';
