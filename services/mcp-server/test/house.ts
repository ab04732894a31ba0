import {
  type Customer,
  createCustomer,
  type House,
  type HouseOptions,
  operate,
  sharedTestHouse,
  startTestHouse,
} from '@mailproof/dev-house';
import { Browser } from '@mailproof/dev-house/sign-in-browser';

/** The whole system, with operator access to its accounts. */
export interface ToolHouse {
  readonly house: House;
  /** The public address of the tool server: the issuer, and the origin of everything it serves. */
  readonly url: string;
  /** The URL that assistants connect to. */
  readonly resource: string;
  /** An account with an API key and credits, and an owner who signs in with a password. */
  customer(options?: NewCustomer): Promise<Customer>;
  /** Runs an operator command and returns its output. */
  operate(...args: string[]): Promise<string>;
  /** A browser without cookies, like that of another machine. */
  browser(userAgent?: string): Browser;
  stop(): Promise<void>;
}

export interface NewCustomer {
  readonly plan?: string;
  readonly credits?: number;
  /** By default, so high that no test reaches the limit. */
  readonly requestsPerSecond?: number;
}

export type { Customer };

/** @param publicUrl the URL at which browsers and clients reach the tool servers; by default that of the first one. */
export async function openToolHouse({
  publicUrl,
  ...options
}: Partial<HouseOptions> & { readonly publicUrl?: string } = {}): Promise<ToolHouse> {
  const house = await startTestHouse({
    ...options,
    // Raised because all clients in a test have the same address.
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

/**
 * Uses the house that the test files of a worker share. This is preferred unless a test changes or breaks something.
 */
export async function openSharedToolHouse(): Promise<ToolHouse> {
  const house = await sharedTestHouse();
  return toolHouseOn(house, house.toolServerUrls[0] ?? '');
}

/** Does the same with a house that is already running. */
export function toolHouseOn(house: House, url: string): ToolHouse {
  return {
    house,
    url,
    resource: `${url}/mcp`,
    operate: (...args) => operate(house, args),
    customer: ({ plan = 'custom', credits = 100, requestsPerSecond = 1_000 } = {}) =>
      createCustomer(house, { plan, credits, requestsPerSecond }),
    browser: userAgent => new Browser([url], userAgent),
    stop: () => house.stop(),
  };
}
