import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { type House, type HouseOptions, spawnOperatorCommand, startTestHouse } from '@mailproof/dev-house';
import { newId } from '@mailproof/shared-types';
import { Browser } from './browser.ts';

/** The whole system, with the operator's hands on its accounts. */
export interface ToolHouse {
  readonly house: House;
  /** The public address of the tool server: the issuer, and the origin of everything it serves. */
  readonly url: string;
  /** What assistants connect to. */
  readonly resource: string;
  /** An account with an API key and credits, and an owner who signs in with a password. */
  customer(options?: NewCustomer): Promise<Customer>;
  /** Carries out one of the operator's commands and answers what it printed. */
  operate(...args: string[]): Promise<string>;
  /** A browser without cookies. */
  browser(): Browser;
  stop(): Promise<void>;
}

export interface NewCustomer {
  readonly plan?: string;
  readonly credits?: number;
  /** So many that no test meets the limit, unless it wants to. */
  readonly requestsPerSecond?: number;
}

export interface Customer {
  readonly accountId: string;
  /** Empty on a plan without API access. */
  readonly apiKey: string;
  readonly email: string;
  readonly password: string;
}

/** @param publicUrl where browsers and clients reach the tool servers when that is not the first of them itself. */
export async function openToolHouse({
  publicUrl,
  ...options
}: Partial<HouseOptions> & { readonly publicUrl?: string } = {}): Promise<ToolHouse> {
  const house = await startTestHouse({
    ...options,
    // Everybody in a test comes from one address.
    env: {
      ...options.env,
      gateway: { VISITOR_REQUESTS_PER_MINUTE_MAX: '10000', ...options.env?.gateway },
      'mcp-server': {
        AUTH_FAILURES_PER_MINUTE_MAX: '10000',
        OAUTH_REQUESTS_PER_MINUTE_MAX: '10000',
        OAUTH_REGISTRATIONS_PER_HOUR_MAX: '10000',
        ...options.env?.['mcp-server'],
      },
    },
  });
  return toolHouseOn(house, publicUrl ?? house.toolServerUrls[0] ?? '');
}

/** The same on a house that runs already. */
export function toolHouseOn(house: House, url: string): ToolHouse {
  const operate = async (...args: string[]): Promise<string> => runOperator(house, args);
  return {
    house,
    url,
    resource: `${url}/mcp`,
    operate,
    async customer({ plan = 'custom', credits = 100, requestsPerSecond = 1_000 } = {}) {
      const email = `${newId('user').slice(-20)}@ordinary.example`;
      const args = [
        'account',
        'create',
        '--name',
        'Ordinary Ltd',
        '--plan',
        plan,
        '--email',
        email,
        '--json',
      ];
      args.push('--requests-per-second', String(requestsPerSecond));
      if (credits > 0) args.push('--credits', String(credits));
      const printed = await operate(...args);
      const made = JSON.parse(printed) as Partial<Customer>;
      if (!made.accountId || !made.password) {
        throw new Error('The account was made, but its owner was not printed.');
      }
      return { accountId: made.accountId, apiKey: made.apiKey ?? '', email, password: made.password };
    },
    browser: () => new Browser([url]),
    stop: () => house.stop(),
  };
}

async function runOperator(house: House, args: readonly string[]): Promise<string> {
  const service = args[0] === 'signing-keys' ? 'mcp-server' : 'gateway';
  const child = spawnOperatorCommand(args, house.environments[service], ['ignore', 'pipe', 'pipe']);
  const [output, complaint, [code]] = await Promise.all([
    child.stdout ? text(child.stdout) : '',
    child.stderr ? text(child.stderr) : '',
    once(child, 'exit'),
  ]);
  if (code !== 0) {
    throw new Error(`The command "${args.join(' ')}" ended with ${code}:\n${complaint || output}`);
  }
  return output;
}
