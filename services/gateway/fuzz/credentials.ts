import type { House } from '@mailproof/dev-house';
import { parseEmailAddress, sessionCookie, signIn } from '@mailproof/shared-types';
import { composeOperator } from '../src/compose.ts';

/** Never reached: the fuzzing checks answers, and a 429 is of no interest. */
const requestsPerSecond = 100_000;
const password = 'a password for made-up requests alone';
/** The header with which a browser marks requests from this installation's own pages. */
const ownPage = { 'Sec-Fetch-Site': 'same-origin' };

/** The headers that authenticate requests to `/api/v1` as an account without a practical rate limit. */
export async function openKey(house: House): Promise<Record<string, string>> {
  const operator = composeOperator({ DATABASE_URL: house.databaseUrls['gateway']?.databaseUrl ?? '' });
  try {
    const { apiKey } = await operator.accounts.create({
      name: 'Fuzz',
      plan: 'custom',
      credits: 1_000_000,
      requestsPerSecond,
    });
    return { 'X-Api-Key': apiKey ?? '' };
  } finally {
    await operator.close();
  }
}

/** The headers that authenticate requests to `/app/v1` as a signed-in owner on one of our pages. */
export async function openSession(house: House): Promise<Record<string, string>> {
  const [gatewayUrl = ''] = house.gatewayUrls;
  const operator = composeOperator({ DATABASE_URL: house.databaseUrls['gateway']?.databaseUrl ?? '' });
  try {
    const { accountId } = await operator.accounts.create({ name: 'Fuzz', plan: 'custom', credits: 1_000 });
    const address = parseEmailAddress('fuzz@ordinary.example');
    const isAdded =
      address.ok && (await operator.owners.add(accountId, address.value, password)) !== undefined;
    const answer = await fetch(`${gatewayUrl}${signIn.path}`, {
      method: signIn.method.toUpperCase(),
      headers: { 'content-type': 'application/json', ...ownPage },
      body: JSON.stringify({ email: 'fuzz@ordinary.example', password }),
    });
    const cookie = answer.headers.getSetCookie().find(line => line.startsWith(`${sessionCookie}=`));
    if (!isAdded || cookie === undefined) {
      throw new Error(`Signing in was answered with ${answer.status} ${await answer.text()}.`);
    }
    return { Cookie: cookie.split(';', 1)[0] ?? '', ...ownPage };
  } finally {
    await operator.close();
  }
}
