import { InvalidArgumentError } from 'commander';
import type { AccountStore } from '../domain/account.ts';

/** An operator's command that cannot be carried out, in a sentence. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}

/** Opens the accounts for the time of one command. */
export type WithAccounts = (work: (accounts: AccountStore) => Promise<void>) => Promise<void>;

export function print(json: true | undefined, value: unknown, text: string): void {
  process.stdout.write(`${json ? JSON.stringify(value) : text}\n`);
}

export function countFrom(minimum: number) {
  return (text: string): number => {
    const value = Number(text);
    if (!/^\d{1,9}$/.test(text) || value < minimum) {
      throw new InvalidArgumentError(`Give a whole number from ${minimum}.`);
    }
    return value;
  };
}

export function textUpTo(maximum: number) {
  return (text: string): string => {
    if (text.trim() === '' || text.length > maximum) {
      throw new InvalidArgumentError(`Give 1 to ${maximum} characters.`);
    }
    return text.trim();
  };
}

export function idOf<Id>(schema: {
  safeParse(value: unknown): { success: true; data: Id } | { success: false };
}) {
  return (text: string): Id => {
    const parsed = schema.safeParse(text);
    if (!parsed.success) {
      throw new InvalidArgumentError('That is not such an id.');
    }
    return parsed.data;
  };
}
