import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  compileCacheDirectory,
  createCustomer,
  type House,
  labEnvironment,
  startHouse,
} from '@mailproof/dev-house';
import { composeContact } from '../../src/compose/validation.ts';
import { loadValidationConfig } from '../../src/config.ts';
import { deadlineAfter } from '../../src/domain/concurrency/deadline.ts';
import { makeAddressList } from '../address-list.ts';
import { startChild } from '../child.ts';
import { createEngineProber } from '../engine-prober.ts';
import type { LabAnswer, LabRequest, LabSurroundings } from '../messages.ts';
import { holdBareDialogue } from './bare-dialogue.ts';

/** The three ways to ask about one address. */
export const ways = ['bare', 'engine', 'rest'] as const;
export type Way = (typeof ways)[number];

/** The time of each answer in milliseconds, in the order of measurement. */
export type Times = Readonly<Record<Way, readonly number[]>>;

/** How many addresses of each way are asked before the measurement: processes compile code as they run. */
const warmUpCount = 30;
const answerDeadlineMs = 25_000;
/**
 * Pause between answers, in milliseconds: the background work of an answer, such as its charge, finishes in it and
 * overlaps with no other.
 */
const pauseMs = 30;
const requestsPerSecond = 100_000;

/**
 * Validates one existing address at a time, each at its own host that has not been probed before: by a bare SMTP
 * dialogue, by the engine in this process, and over REST through gateway, ledger and engine. The three take turns, so
 * that other load on the machine affects all of them.
 *
 * @throws Error if a verdict differs from the catalog
 */
export async function measureSingle(count: number, roundTripMs: number, signal: AbortSignal): Promise<Times> {
  const folder = await mkdtemp(join(tmpdir(), 'mailproof-bench-'));
  const lab = startChild<LabRequest, LabAnswer>('lab-process.ts');
  let house: House | undefined;
  try {
    const rounds = count + warmUpCount;
    // One address per domain; about half of the domains accept it.
    const size = { domains: 6 * rounds, addresses: 6 * rounds, seed: 1 };
    lab.tell({ type: 'open', size, roundTripMs });
    const { surroundings } = await lab.receive('open', signal);
    const caFile = join(folder, 'lab.pem');
    await writeFile(caFile, surroundings.caCertificatePem);
    house = await openHouse(folder, labEnvironment(surroundings, caFile), signal);
    const addresses = makeAddressList(size)
      .filter(({ result }) => result === 'ok')
      .map(({ address }) => address);
    return await takeTurns({ addresses, rounds, house, surroundings, caFile, signal });
  } finally {
    await house?.stop();
    await lab.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Starts the services that an answer passes, as in production. */
function openHouse(
  stateDir: string,
  labSettings: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<House> {
  const env = { LOG_LEVEL: 'info', NODE_COMPILE_CACHE: compileCacheDirectory };
  return startHouse({
    stateDir,
    only: ['gateway', 'credit-ledger', 'validation-engine'],
    lab: false,
    quiet: true,
    isDurable: true,
    signal,
    env: {
      gateway: env,
      'credit-ledger': env,
      'validation-engine': { ...env, ...labSettings, VALIDATION_STANDING_CHECK_HOURS: '0' },
    },
  });
}

interface Turns {
  readonly addresses: readonly string[];
  readonly rounds: number;
  readonly house: House;
  readonly surroundings: LabSurroundings;
  readonly caFile: string;
  readonly signal: AbortSignal;
}

async function takeTurns(turns: Turns): Promise<Times> {
  const { addresses, rounds, house, surroundings, caFile, signal } = turns;
  const settings = { ...labEnvironment(surroundings, caFile), VALIDATION_HELO_NAME: 'bench.checker.example' };
  const engine = createEngineProber(settings, answerDeadlineMs);
  const asking: Readonly<Record<Way, (address: string) => Promise<number>>> = {
    bare: bareAsker(settings),
    engine: async address => {
      const { elapsedMs, result } = await timed(() => engine.probe(address));
      return expectOk(address, result.result, elapsedMs);
    },
    rest: await restAsker(house, rounds),
  };
  const times: Record<Way, number[]> = { bare: [], engine: [], rest: [] };
  try {
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, way] of ways.entries()) {
        signal.throwIfAborted();
        const address = addresses[ways.length * round + index];
        if (address === undefined) {
          throw new Error('The catalog has too few addresses that exist.');
        }
        await sleep(pauseMs);
        times[way].push(await asking[way](address));
      }
    }
  } finally {
    await engine.close();
  }
  return {
    bare: times.bare.slice(warmUpCount),
    engine: times.engine.slice(warmUpCount),
    rest: times.rest.slice(warmUpCount),
  };
}

/** Finds the host first, outside of the measured time: a bare SMTP dialogue has no DNS. */
function bareAsker(settings: Readonly<Record<string, string>>): (address: string) => Promise<number> {
  const config = loadValidationConfig(settings);
  const { dns, clock } = composeContact(config);
  return async address => {
    const domain = address.slice(address.lastIndexOf('@') + 1);
    const deadline = deadlineAfter(clock, answerDeadlineMs, new AbortController().signal);
    const serverName = `mx.${domain}`;
    const found = await dns.resolveAddresses(serverName, 4, deadline);
    const host = found.kind === 'answer' ? (found.records[0] ?? '') : '';
    const madeUp = [0, 1].map(() => `${randomBytes(8).toString('hex')}@${domain}`);
    const question = { host, port: config.VALIDATION_SMTP_PORT, serverName, address, madeUp };
    const { elapsedMs, result } = await timed(() => holdBareDialogue(question));
    return expectOk(address, result.join(' ') === '250 550 550' ? 'ok' : result.join(' '), elapsedMs);
  };
}

async function restAsker(house: House, credits: number): Promise<(address: string) => Promise<number>> {
  const { apiKey } = await createCustomer(house, { plan: 'custom', credits, requestsPerSecond });
  const url = `${house.gatewayUrls[0]}/api/v1/validate-single-email`;
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  return async email => {
    const { elapsedMs, result } = await timed(async () => {
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ email }) });
      return (await response.json()) as { readonly result?: string };
    });
    return expectOk(email, result.result ?? JSON.stringify(result), elapsedMs);
  };
}

async function timed<Result>(work: () => Promise<Result>): Promise<{ elapsedMs: number; result: Result }> {
  const sinceMs = performance.now();
  const result = await work();
  return { elapsedMs: performance.now() - sinceMs, result };
}

function expectOk(address: string, result: string, elapsedMs: number): number {
  if (result !== 'ok') {
    throw new Error(`${address} is ok, not ${result}.`);
  }
  return elapsedMs;
}
