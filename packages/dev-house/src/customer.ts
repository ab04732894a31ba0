import { randomBytes } from 'node:crypto';
import type { House } from './house.ts';
import { operate } from './operate.ts';

/** An account, and its owner, who signs in with a password. */
export interface Customer {
  readonly accountId: string;
  /** Empty on a plan without API access. */
  readonly apiKey: string;
  readonly email: string;
  readonly password: string;
}

export interface CustomerOptions {
  readonly plan: string;
  readonly credits: number;
  /** Beyond what the plan allows, by agreement. */
  readonly requestsPerSecond?: number;
}

/** Makes an account by the operator's command. */
export async function createCustomer(
  house: Pick<House, 'environments'>,
  { plan, credits, requestsPerSecond }: CustomerOptions,
): Promise<Customer> {
  const email = `${randomBytes(10).toString('hex')}@ordinary.example`;
  const args = ['account', 'create', '--name', 'Ordinary Ltd', '--plan', plan, '--email', email, '--json'];
  if (credits > 0) args.push('--credits', String(credits));
  if (requestsPerSecond !== undefined) args.push('--requests-per-second', String(requestsPerSecond));
  const made = JSON.parse(await operate(house, args)) as Partial<Customer>;
  if (!made.accountId || !made.password) {
    throw new Error('The account was made, but its owner was not printed.');
  }
  return { accountId: made.accountId, apiKey: made.apiKey ?? '', email, password: made.password };
}
