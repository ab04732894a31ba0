import {
  type House,
  type HouseOptions,
  sharedTestHouse,
  startTestHouse,
  waitFor,
} from '@mailproof/dev-house';
import { readSubmittedMessages } from '@mailproof/mail-lab';
import { type AccountId, newId, parseEmailAddress, sessionCookie } from '@mailproof/shared-types';
import PostalMime from 'postal-mime';
import type { Owners } from '../src/compose/owners.ts';
import { composeOperator, type Operator } from '../src/compose.ts';
import { loadOperatorConfig } from '../src/config.ts';
import type { AccountStore, NewAccount } from '../src/domain/accounts/account.ts';
import { until } from './until.ts';

/** The whole system on the mail lab, with the operator's access to its accounts. */
export interface TestHouse {
  readonly house: House;
  readonly accounts: AccountStore;
  readonly operator: Operator;
  readonly owners: Owners;
  /** Creates an account and waits until its credits have arrived. */
  open(account: Partial<NewAccount>): Promise<Customer>;
  /** Creates an owner of the given or a new account, who has not signed in yet. */
  owner(owner?: { accountId?: string; email?: string }): Promise<Person>;
  /** A visitor without an account. */
  stranger(email?: string): Person;
  /** Creates a signed-in member of the account through an invitation. */
  member(owner: Person, email?: string): Promise<Person>;
  /** The mails that an address has received, oldest first. */
  mails(to: string): Promise<ReceivedMail[]>;
  /** Waits for the mail with the given number, counted from 1, and returns it. */
  mail(to: string, number?: number): Promise<ReceivedMail>;
  stop(): Promise<void>;
}

export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
};

export interface ReceivedMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The token of the mail's link, if it has one. */
  readonly token: string;
}

/** A client of an account, with a key or signed in. */
export interface Reader {
  get(path: string): Promise<Answer>;
}

/** A client with an API key. */
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
    // An account on the free plan has no key.
    this.apiKey = created.apiKey ?? '';
    this.accountId = created.accountId;
    this.apiKeyId = created.apiKeyId ?? '';
    this.gatewayUrls = gatewayUrls;
  }

  me(): Promise<Answer> {
    return this.get('/me');
  }

  get(path: string): Promise<Answer> {
    return this.send(path, {});
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

/** A client with a browser: keeps cookies, and sends them to the gateways in turn. */
export class Person {
  readonly email: string;
  readonly password: string;
  readonly accountId: string;
  readonly userId: string;
  readonly cookies = new Map<string, string>();
  private readonly gatewayUrls: readonly string[];
  private turn = 0;

  constructor(
    facts: { email: string; password: string; accountId: string; userId: string },
    gatewayUrls: readonly string[],
  ) {
    this.email = facts.email;
    this.password = facts.password;
    this.accountId = facts.accountId;
    this.userId = facts.userId;
    this.gatewayUrls = gatewayUrls;
  }

  /** Signs in; throws if that is refused. */
  async signIn(password = this.password): Promise<this> {
    const answer = await this.trySignIn(password);
    if (answer.status !== 200) {
      throw new Error(`Signing in was answered with ${answer.status} ${JSON.stringify(answer.body)}.`);
    }
    return this;
  }

  trySignIn(password = this.password, headers: Record<string, string> = {}): Promise<Answer> {
    return this.post('/session', { email: this.email, password }, headers);
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send(path, { headers });
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.sendJson('POST', path, body, headers);
  }

  put(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.sendJson('PUT', path, body, headers);
  }

  delete(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send(path, { method: 'DELETE', headers });
  }

  /** Another browser of the same person, without any cookies. */
  elsewhere(): Person {
    return new Person(this, this.gatewayUrls);
  }

  private sendJson(method: string, path: string, body: unknown, headers: Record<string, string>) {
    return this.send(path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  /** Sends a request to the gateways in turn, with the cookies of this browser unless the headers name others. */
  async send(path: string, init: RequestInit): Promise<Answer> {
    const gateway = this.gatewayUrls[this.turn++ % this.gatewayUrls.length];
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(`${gateway}/app/v1${path}`, {
      signal: AbortSignal.timeout(60_000),
      ...init,
      headers: { ...(cookie && { cookie }), ...(init.headers as Record<string, string> | undefined) },
    });
    this.keepCookies(response.headers.getSetCookie());
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Record<string, unknown>,
    };
  }

  private keepCookies(lines: readonly string[]): void {
    for (const line of lines) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0/i.test(line)) {
        this.cookies.delete(name);
      } else {
        this.cookies.set(name, value);
      }
    }
  }

  get sessionToken(): string | undefined {
    return this.cookies.get(sessionCookie);
  }
}

/** Subsets of services for some tests; a house opens sooner with fewer. */
export const accounting = ['gateway', 'credit-ledger'] as const;
export const validating = [...accounting, 'validation-engine'] as const;
export const findingPeople = [...accounting, 'enrichment'] as const;

export const testPassword = 'a password for tests alone';

export async function openTestHouse(options: Partial<HouseOptions> = {}): Promise<TestHouse> {
  const house = await startTestHouse({
    ...options,
    // Every client in a test has the same address.
    env: { ...options.env, gateway: { VISITOR_REQUESTS_PER_MINUTE_MAX: '10000', ...options.env?.gateway } },
  });
  return testHouseOn(house);
}

/**
 * Opens the house that the test files of a worker share; the default choice, unless a test changes or breaks something.
 */
export async function openSharedHouse(): Promise<TestHouse> {
  return testHouseOn(await sharedTestHouse());
}

/** The operator's access to the accounts of a running house. */
export function testHouseOn(house: House): TestHouse {
  const operator = composeOperator(loadOperatorConfig(house.environments.gateway));
  const create = (account: Partial<NewAccount>) =>
    operator.accounts.create({ name: 'Test', plan: 'custom', credits: 0, ...account });
  const mails = async (to: string): Promise<ReceivedMail[]> => {
    const messages = await readSubmittedMessages(house.mail?.directory ?? '');
    const read = await Promise.all(messages.map(({ text }) => readMail(text)));
    return read.filter(mail => mail.to === to);
  };
  const mail = async (to: string, number = 1): Promise<ReceivedMail> =>
    waitFor(`Mail ${number} to ${to} arrives`, async () => (await mails(to))[number - 1], {
      deadlineMs: 60_000,
    });
  const newAddress = () => `${newId('user').slice(-20)}@ordinary.example`;
  return {
    house,
    accounts: operator.accounts,
    operator,
    owners: operator.owners,
    async owner({ accountId = undefined, email = newAddress() } = {}) {
      const account = (accountId ?? (await create({})).accountId) as AccountId;
      const address = parseEmailAddress(email);
      const userId = address.ok ? await operator.owners.add(account, address.value, testPassword) : undefined;
      if (userId === undefined) {
        throw new Error(`There can be no owner with the address ${email}.`);
      }
      return new Person({ email, password: testPassword, accountId: account, userId }, house.gatewayUrls);
    },
    stranger: (email = newAddress()) =>
      new Person({ email, password: testPassword, accountId: '', userId: '' }, house.gatewayUrls),
    mails,
    mail,
    async member(owner, email = newAddress()) {
      const invited = await owner.post('/members/invitations', { email });
      if (invited.status !== 202) {
        throw new Error(`The invitation was answered with ${invited.status}.`);
      }
      const { token } = await mail(email);
      const guest = new Person(
        { email, password: testPassword, accountId: '', userId: '' },
        house.gatewayUrls,
      );
      const { body } = await guest.post('/members/invitations/confirmation', {
        token,
        password: testPassword,
      });
      const userId = String(body['user_id']);
      const member = new Person(
        { email, password: testPassword, accountId: owner.accountId, userId },
        house.gatewayUrls,
      );
      for (const [name, value] of guest.cookies) {
        member.cookies.set(name, value);
      }
      return member;
    },
    async open(account) {
      const created = await create(account);
      await until(
        'the arrival of the granted credits',
        () => operator.accounts.pendingGrants(created.accountId),
        pending => pending === 0,
      );
      return new Customer(created, house.gatewayUrls);
    },
    async stop() {
      await operator.close();
      await house.stop();
    },
  };
}

async function readMail(message: string): Promise<ReceivedMail> {
  const { to, subject = '', text = '', html = '', headers } = await PostalMime.parse(message);
  const [recipient] = to ?? [];
  return {
    to: recipient?.address ?? '',
    subject,
    text,
    html,
    headers: Object.fromEntries(headers.map(({ key, value }) => [key, value])),
    token: /#token=(\w+)/.exec(text)?.[1] ?? '',
  };
}
