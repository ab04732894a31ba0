export const rowsPerPage = 100;

/** Positions that are seen, from the first to the last page of them. */
export function pagesOf(first: number, last: number): number[] {
  const from = Math.floor(first / rowsPerPage);
  return Array.from({ length: Math.floor(last / rowsPerPage) - from + 1 }, (_, at) => from + at);
}
