/** The parameters of a CRM's redirect: a code, or an error. */
export type CrmCallback = { readonly state: string } & (
  | { readonly code: string }
  | { readonly error: string }
);

let given: CrmCallback | undefined;

/**
 * Keeps the query of the URL to which a CRM redirected the browser, in the page's memory only. Returns whether there
 * was a query, which the caller must then remove from the URL.
 */
export function storeCrmCallback(query: string): boolean {
  if (query === '') return false;
  given = parseCrmCallback(query);
  return true;
}

/** Returns the stored parameters, until the page is unloaded. */
export function storedCrmCallback(): CrmCallback | undefined {
  return given;
}

/** Parses the query as plain text, so that a state of digits stays a string. Returns undefined if it is incomplete. */
export function parseCrmCallback(query: string): CrmCallback | undefined {
  const found = new URLSearchParams(query);
  const [state, code, error] = ['state', 'code', 'error'].map(name => found.get(name));
  if (!state) return undefined;
  if (code) return { state, code };
  return error ? { state, error } : undefined;
}
