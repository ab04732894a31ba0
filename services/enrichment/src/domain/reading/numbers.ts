import {
  bandOf,
  type CompanySize,
  companySizeBands,
  limits,
  type Revenue,
  revenueBands,
} from '@mailproof/shared-types';

const units: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['k', 1e3],
  ['thousand', 1e3],
  ['m', 1e6],
  ['mn', 1e6],
  ['mm', 1e6],
  ['mio', 1e6],
  ['million', 1e6],
  ['b', 1e9],
  ['bn', 1e9],
  ['billion', 1e9],
  ['t', 1e12],
  ['trillion', 1e12],
]);

/**
 * Parses `1,200`, `1 200`, `1.5M` or `2 billion`; returns undefined for anything else. Commas and spaces separate
 * thousands.
 */
export function readNumber(text: string): number | undefined {
  const [, digits, unit = ''] =
    /^(\d+(?:\.\d+)?|\d{1,3}(?:[, ’']\d{3})+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim()) ?? [];
  const factor = units.get(unit.toLowerCase());
  if (digits === undefined || factor === undefined) {
    return undefined;
  }
  return Number(digits.replace(/[, ’']/g, '')) * factor;
}

interface Range {
  readonly from: number;
  /** Absent if there is no upper end. */
  readonly to?: number;
}

function readRange(text: string): Range | undefined {
  const trimmed = text.trim();
  const [, open] = /^(?:over |more than |>\s*)?(.+?)\s*(?:\+|and (?:more|above|over))$/i.exec(trimmed) ?? [];
  if (open !== undefined) {
    const from = readNumber(open);
    return from === undefined ? undefined : { from };
  }
  const [, below] = /^(?:less than|under|up to|<)\s*(.+)$/i.exec(trimmed) ?? [];
  if (below !== undefined) {
    const to = readNumber(below);
    return to === undefined ? undefined : { from: 0, to };
  }
  const [, low, high] = /^(.+?)\s*(?:-|–|—|\bto\b)\s*(.+)$/i.exec(trimmed) ?? [];
  if (low === undefined || high === undefined) {
    return undefined;
  }
  const to = readNumber(high);
  const unit = /[a-z]+$/i.exec(high)?.[0] ?? '';
  // In `$1-10M` the unit applies to both ends.
  const from = readNumber(/[a-z]$/i.test(low) ? low : `${low}${unit}`);
  return from === undefined || to === undefined || from > to ? undefined : { from, to };
}

const integerMax = 2_147_483_647;

/** Parses a number of people, such as followers. */
export function readCount(text: string): number | undefined {
  const value = readNumber(text.replace(/\s*\+$/, ''));
  return value === undefined || value > integerMax ? undefined : Math.round(value);
}

/** Parses a number of employees: a number, or a range if it is one of our bands. */
export function readEmployees(
  text: string,
): { readonly employeeCount: number | null; readonly companySize: CompanySize | null } | undefined {
  const bare = text.replace(/\s*(?:employees|people|staff)\s*$/i, '');
  const count = readNumber(bare);
  if (count !== undefined && count <= integerMax) {
    const employeeCount = Math.round(count);
    return { employeeCount, companySize: bandOf(companySizeBands, employeeCount) ?? null };
  }
  const range = readRange(bare);
  // In some sources a band ends with the round number with which the next one begins, or begins with 0.
  const companySize = range && bandOfRange(companySizeBands, { ...range, from: Math.max(range.from, 1) });
  return companySize && { employeeCount: null, companySize };
}

/** Parses annual revenue in dollars; amounts in other currencies are not parsed. */
export function readRevenue(
  text: string,
): { readonly annualRevenueUsd: number | null; readonly revenue: Revenue | null } | undefined {
  const bare = text
    .replace(/us\$|usd|\$/gi, '')
    .replace(/\s*(?:per year|annually|\/\s*yr)\s*$/i, '')
    .trim();
  const amount = readNumber(bare);
  if (amount !== undefined) {
    const annualRevenueUsd = readAmount(text) ?? null;
    return annualRevenueUsd === null
      ? undefined
      : { annualRevenueUsd, revenue: bandOf(revenueBands, annualRevenueUsd) ?? null };
  }
  const range = readRange(bare);
  const revenue = range && bandOfRange(revenueBands, range);
  return revenue && { annualRevenueUsd: null, revenue };
}

/** Parses an amount in dollars. */
export function readAmount(text: string): number | undefined {
  const value = readNumber(text.replace(/us\$|usd|\$/gi, '').trim());
  return value === undefined || value > Number.MAX_SAFE_INTEGER ? undefined : Math.round(value);
}

/**
 * Returns the one band that contains the whole range; the range may end with the number with which the next band
 * begins.
 */
function bandOfRange<Name extends string>(
  bands: readonly { readonly name: Name; readonly from: number }[],
  { from, to }: Range,
): Name | undefined {
  const low = bandOf(bands, from);
  if (to === undefined) {
    return low === bands.at(-1)?.name ? low : undefined;
  }
  return low === bandOf(bands, Math.max(to - 1, from)) ? low : undefined;
}

/** Reads the year of `1999`, `1999-05-01` or `May 1, 1999`. */
export function readYear(text: string): number | undefined {
  const [, year] =
    /^(\d{4})(?:\.0)?$|^(\d{4})-\d{2}|^[a-z]{3,9}\.? (?:\d{1,2}, )?(\d{4})$/i
      .exec(text.trim())
      ?.filter(part => part) ?? [];
  return year !== undefined && Number(year) >= limits.foundedYearMin && Number(year) <= limits.foundedYearMax
    ? Number(year)
    : undefined;
}
