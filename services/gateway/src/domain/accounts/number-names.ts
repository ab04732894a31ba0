import { createHmac } from 'node:crypto';
import type { AccountId } from '@mailproof/shared-types';

/** Names a number of ours for one account. */
export type NameNumber = (accountId: AccountId, what: string, number: number) => string;

const nameOctets = 16;

/**
 * Names rows for customers. Our tables number their rows across all accounts, and two such numbers would tell a customer how
 * much the whole installation did between them. A name is an HMAC: the same number keeps its name within an account, and
 * without the key it says nothing (ADR 0057).
 */
export function createNumberNames(key: Uint8Array): NameNumber {
  return (accountId, what, number) => {
    const digest = createHmac('sha256', key)
      .update(JSON.stringify([accountId, what, number]))
      .digest();
    return `${what}_${digest.subarray(0, nameOctets).toString('hex')}`;
  };
}

/** Numbers that count within something of the account's own, such as the rows of its file. */
const ownNumbers: ReadonlySet<string> = new Set(['row_no', 'address_no', 'chunk_no']);

/** The row as an export shows it, with names in place of the numbers that count across all accounts. */
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
