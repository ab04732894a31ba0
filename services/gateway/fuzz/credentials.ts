import type { House } from '@mailproof/dev-house';
import { composeOperator } from '../src/compose.ts';

/** Never reached: what is measured is answers, and a 429 is a rare and uninteresting one. */
const requestsPerSecond = 100_000;

/** The headers by which requests to `/api/v1` are those of an account that may ask as often as it likes. */
export async function openKey(house: House): Promise<Record<string, string>> {
  const operator = composeOperator({ DATABASE_URL: house.databaseUrls['gateway']?.databaseUrl ?? '' });
  try {
    const { apiKey } = await operator.accounts.create({
      name: 'Fuzz',
      plan: 'custom',
      credits: 1_000_000,
      requestsPerSecond,
    });
    return { 'X-Api-Key': apiKey };
  } finally {
    await operator.close();
  }
}

/** The headers by which requests to `/app/v1` are those of somebody who has signed in. */
export async function openSession(_house: House): Promise<Record<string, string>> {
  throw new Error('nobody can sign in yet');
}
