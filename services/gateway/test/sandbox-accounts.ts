import { createApiKey, type KeyScope, keyScopeNames } from '@mailproof/shared-types';
import { Customer, type Person, type TestHouse } from './house.ts';

/** An account without credits, with a key for each mode. */
export interface SandboxAccount {
  readonly owner: Person;
  readonly live: Customer;
  readonly tester: Customer;
}

export async function newKey(
  test: TestHouse,
  owner: Person,
  mode: 'live' | 'test',
  scopes: readonly KeyScope[] = keyScopeNames,
): Promise<Customer> {
  const { body } = await owner.post('/api-keys', { name: mode, mode, scopes });
  const { api_key: apiKey, api_key_id: apiKeyId } = createApiKey.success.schema.parse(body);
  return new Customer({ apiKey, apiKeyId, accountId: owner.accountId }, test.house.gatewayUrls);
}

export async function newSandboxAccount(test: TestHouse): Promise<SandboxAccount> {
  const { accountId } = await test.accounts.create({
    name: 'Test',
    plan: 'custom',
    credits: 0,
    requestsPerSecond: 1_000,
  });
  const owner = await (await test.owner({ accountId })).signIn();
  return { owner, live: await newKey(test, owner, 'live'), tester: await newKey(test, owner, 'test') };
}
