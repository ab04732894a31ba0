import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type Customer,
  createCustomer,
  type House,
  labEnvironment,
  projectRoot,
  services,
  startHouse,
  waitFor,
} from '@mailproof/dev-house';
import { startMailLab } from '@mailproof/mail-lab';
import { type Addresses, makeAddresses } from '../lists.ts';

/** All services as in production, with separate durable databases, and customers. */
export interface LoadHouse {
  readonly house: House;
  readonly addresses: Addresses;
  /** The directory in which each service records how busy its event loop was. */
  readonly eventLoopDirectory: string;
  /** The customers: one sends validations, through REST and through a tool; the other sends lists. */
  readonly customers: Readonly<Record<'requests' | 'lists', Customer>>;
  stop(): Promise<void>;
}

const credits = 500_000_000;
const requestsPerSecond = 100_000;
const addressesMax = 20_000;
const creditsDeadlineMs = 30_000;

export async function openLoadHouse(signal: AbortSignal): Promise<LoadHouse> {
  const stateDir = await mkdtemp(join(tmpdir(), 'mailproof-load-'));
  const eventLoopDirectory = join(stateDir, 'event-loops');
  await mkdir(eventLoopDirectory);
  const addresses = makeAddresses(addressesMax);
  const lab = await startMailLab({ catalog: addresses.catalog });
  async function clear(): Promise<void> {
    await lab.close();
    await rm(stateDir, { recursive: true, force: true });
  }
  try {
    const caFile = join(stateDir, 'lab.pem');
    await writeFile(caFile, lab.caCertificatePem);
    const probe = pathToFileURL(join(import.meta.dirname, 'event-loop-probe.ts'));
    probe.searchParams.set('directory', eventLoopDirectory);
    const everybody = {
      LOG_LEVEL: 'info',
      // With this cache, no compiler takes memory in the running services.
      NODE_COMPILE_CACHE: join(projectRoot, 'node_modules/.cache/node-compile'),
      NODE_OPTIONS: `--import ${probe.href}`,
    };
    const own = {
      gateway: { SESSION_REQUESTS_PER_SECOND_MAX: '1000', VISITOR_REQUESTS_PER_MINUTE_MAX: '100000' },
      'validation-engine': {
        ...labEnvironment(lab, caFile),
        VALIDATION_STANDING_CHECK_HOURS: '0',
        VALIDATION_SESSION_STARTS_PER_HOST_PER_MINUTE_MAX: '6000',
      },
    };
    const house = await startHouse({
      ...{ stateDir, lab: false, quiet: true, isDurable: true, signal },
      env: Object.fromEntries(
        services.map(({ name }) => [name, { ...everybody, ...own[name as keyof typeof own] }]),
      ),
    });
    const [requests, lists] = await Promise.all([
      createCustomer(house, { plan: 'custom', credits, requestsPerSecond }),
      createCustomer(house, { plan: 'custom', credits, requestsPerSecond }),
    ]);
    await untilCreditsArrive(house, requests);
    async function stop(): Promise<void> {
      await house.stop();
      await clear();
    }
    return { house, addresses, eventLoopDirectory, customers: { requests, lists }, stop };
  } catch (error) {
    await clear();
    throw error;
  }
}

/** The gateway sends a plan's credits to the ledger through its outbox. */
async function untilCreditsArrive({ gatewayUrls: [url] }: House, { apiKey }: Customer): Promise<void> {
  await waitFor(
    'The credits have arrived',
    async () => {
      const answer = await fetch(`${url}/api/v1/me`, { headers: { 'x-api-key': apiKey } });
      return ((await answer.json()) as { readonly credits?: number }).credits;
    },
    { deadlineMs: creditsDeadlineMs },
  );
}
