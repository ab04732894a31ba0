/** What a CRM gave the browser to bring: a code, or why there is none. */
export type CrmGiven = { readonly state: string } & ({ readonly code: string } | { readonly error: string });

let given: CrmGiven | undefined;

/**
 * Keeps what stands in the query of the address to which a CRM sent the browser, and says whether anything stood there,
 * which then has to leave the address. It is kept in the memory of the page alone.
 */
export function keepGiven(query: string): boolean {
  if (query === '') return false;
  given = readGiven(query);
  return true;
}

/** What was kept, until the page is left. */
export function keptGiven(): CrmGiven | undefined {
  return given;
}

/** Read letter by letter: a state of digits stays a text. Undefined where it is not whole. */
export function readGiven(query: string): CrmGiven | undefined {
  const found = new URLSearchParams(query);
  const [state, code, error] = ['state', 'code', 'error'].map(name => found.get(name));
  if (!state) return undefined;
  if (code) return { state, code };
  return error ? { state, error } : undefined;
}
