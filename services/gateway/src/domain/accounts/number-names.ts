import { createHmac } from 'node:crypto';
import type { AccountId } from '@mailproof/shared-types';

/** Turns an internal number into a name for one account. */
export type NameNumber = (accountId: AccountId, what: string, number: number) => string;

const nameOctets = 16;

/**
 * Names rows for customers. Our tables number their rows across all accounts, so two such numbers would reveal how much
 * the whole installation did in between. A name is an HMAC: within an account, the same number always has the same
 * name, which reveals nothing without the key (ADR 0057).
 */
export function createNumberNames(key: Uint8Array): NameNumber {
  return (accountId, what, number) => {
    const digest = createHmac('sha256', key)
      .update(JSON.stringify([accountId, what, number]))
      .digest();
    return `${what}_${digest.subarray(0, nameOctets).toString('hex')}`;
  };
}

/** Numbers that count only the account's own data, such as the rows of its file. */
const ownNumbers: ReadonlySet<string> = new Set(['row_no', 'address_no', 'chunk_no', 'attempt_no']);

/** The row for an export, with names in place of the numbers that count across all accounts. */
export function withNamedNumbers(
  row: Readonly<Record<string, unknown>>,
  accountId: AccountId,
  nameNumber: NameNumber,
): Record<string, unknown> {
  const named = ([column, value]: [string, unknown]): [string, unknown] => {
    const [, what] = /^(.+)_(?:no|id)$/.exec(column) ?? [];
    const isOurs = what !== undefined && typeof value === 'number' && !ownNumbers.has(column);
    return [column, isOurs ? nameNumber(accountId, what, value) : value];
  };
  return Object.fromEntries(Object.entries(row).map(named));
}
