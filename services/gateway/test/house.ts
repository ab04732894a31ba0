import { type House, type HouseOptions, startTestHouse } from '@mailproof/dev-house';
import { composeOperator, type Operator } from '../src/compose.ts';
import { loadOperatorConfig } from '../src/config.ts';
import type { AccountStore, NewAccount } from '../src/domain/account.ts';

/** The whole system on the mail lab, with the operator's hands on its accounts. */
export interface TestHouse {
  readonly house: House;
  readonly accounts: AccountStore;
  readonly operator: Operator;
  /** Makes an account whose credits have arrived. */
  open(account: Partial<NewAccount>): Promise<Customer>;
  stop(): Promise<void>;
}

export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
};

/** Somebody with an API key. */
export class Customer {
  readonly apiKey: string;
  readonly accountId: string;
  readonly apiKeyId: string;
  private readonly gatewayUrls: readonly string[];
  private turn = 0;

  constructor(
    created: { apiKey?: string; accountId: string; apiKeyId?: string },
    gatewayUrls: readonly string[],
  ) {
    // An account on the free plan has none.
    this.apiKey = created.apiKey ?? '';
    this.accountId = created.accountId;
    this.apiKeyId = created.apiKeyId ?? '';
    this.gatewayUrls = gatewayUrls;
  }

  me(): Promise<Answer> {
    return this.send('/me', {});
  }

  validate(email: unknown): Promise<Answer> {
    return this.post('/validate-single-email', JSON.stringify({ email }));
  }

  post(path: string, body: string | undefined, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body }),
    });
  }

  /** Sends a request to the gateways in turn, with the customer's key unless the headers name another. */
  async send(path: string, init: RequestInit): Promise<Answer> {
    const gateway = this.gatewayUrls[this.turn++ % this.gatewayUrls.length];
    const response = await fetch(`${gateway}/api/v1${path}`, {
      signal: AbortSignal.timeout(60_000),
      ...init,
      headers: { 'x-api-key': this.apiKey, ...(init.headers as Record<string, string> | undefined) },
    });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Record<string, unknown>,
    };
  }

  async credits(): Promise<number> {
    return Number((await this.me()).body['credits']);
  }
}

export async function openTestHouse(options: Partial<HouseOptions> = {}): Promise<TestHouse> {
  const house = await startTestHouse(options);
  const operator = composeOperator(loadOperatorConfig(house.gatewayEnvironment));
  return {
    house,
    accounts: operator.accounts,
    operator,
    async open(account) {
      const created = await operator.accounts.create({
        name: 'Test',
        plan: 'custom',
        credits: 0,
        ...account,
      });
      const givesUpAt = Date.now() + 15_000;
      while ((await operator.accounts.pendingGrants(created.accountId)) > 0) {
        if (Date.now() > givesUpAt) {
          throw new Error('the granted credits did not arrive');
        }
        await new Promise(resolve => setTimeout(resolve, 20));
      }
      return new Customer(created, house.gatewayUrls);
    },
    async stop() {
      await operator.close();
      await house.stop();
    },
  };
}
