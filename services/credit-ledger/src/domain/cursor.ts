/** The lists that are read page by page. */
export type ListName = 'entries' | 'receipts';

/** Writes down where a page ended, in a form that nobody is tempted to count in. */
export function cursorOf(list: ListName, endedWith: number): string {
  return Buffer.from(`${list}:${endedWith}`).toString('base64url');
}

/** Reads where the page before ended; nothing when the cursor is not one of this list. */
export function readCursor(list: ListName, cursor: string): number | undefined {
  const [, name, digits] = /^(\w+):(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  return name === list && digits !== undefined && cursorOf(list, Number(digits)) === cursor
    ? Number(digits)
    : undefined;
}
