import { benchmarkCatalog, type Catalog, type Result } from '@mailproof/mail-lab';

/** A row of a list, in the columns of `listHeader`. */
export type ListRow = readonly [customer: string, name: string, address: string, note: string];

export const listHeader = ['Customer', 'Name', 'E-mail', 'Note'] as const;

/** Addresses that have not been validated yet, with the expected result of each. */
export interface Addresses {
  readonly catalog: Catalog;
  readonly expected: ReadonlyMap<string, Result>;
  /** Returns the next addresses, starting over at the end. */
  take(count: number): string[];
}

const addressesPerDomain = 10;
const seed = 48;

export function makeAddresses(count: number): Addresses {
  const catalog = benchmarkCatalog({
    domains: Math.ceil(count / addressesPerDomain),
    addresses: count,
    catchAllShare: 0.05,
    seed,
  });
  const expected = new Map(
    catalog.flatMap(domain => domain.expected).map(({ address, result }) => [address, result] as const),
  );
  // Sorted by local part, so that a list has addresses at many domains, like real lists.
  const all = [...expected.keys()].toSorted((one, other) => localOf(one).localeCompare(localOf(other)));
  let next = 0;
  return {
    catalog,
    expected,
    take: wanted => Array.from({ length: wanted }, () => all[next++ % all.length] as string),
  };
}

/** Creates rows whose cells contain everything that a file must quote. */
export function rowsOf(addresses: readonly string[]): ListRow[] {
  return addresses.map((address, at) => [
    `C-${at + 1}`,
    `Zoë "${at + 1}", Inc.`,
    address,
    `line one\nline ${at + 1}`,
  ]);
}

/** The list as a file (RFC 4180 section 2). */
export function csvOf(rows: readonly ListRow[]): string {
  const line = (cells: readonly string[]) => cells.map(cell => `"${cell.replaceAll('"', '""')}"`).join(',');
  return [listHeader, ...rows].map(line).join('\r\n');
}

function localOf(address: string): string {
  return address.slice(0, address.indexOf('@'));
}
