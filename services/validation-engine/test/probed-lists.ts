import { type AddressList, deadlineAfter } from '../src/domain/concurrency/deadline.ts';
import { createComparisons } from '../src/domain/smtp/comparison.ts';
import { createLocalComparisonMemory } from '../src/domain/smtp/local-comparison-memory.ts';
import type { MadeUpRecipient } from '../src/domain/smtp/made-up-recipients.ts';
import { probeRecipient } from '../src/domain/smtp/probe-recipient.ts';
import { emailOf, jobDeadlineMs, shuffledList } from '../src/domain/testing/fakes.ts';
import { decideByProbe } from '../src/domain/verdict/decide.ts';
import { clock, type Manner, orderly, poolAt, type UnrulyHost, type Visit } from './unruly-host.ts';

export const unknown = '550 5.1.1 User unknown';
export const isRecipient = (line: string) => line.startsWith('RCPT');

/** Refuses recipients because of their position in the session, and otherwise answers truthfully. */
export function refusing(isLater: (line: string, visit: Visit) => boolean, answer: Manner = orderly): Manner {
  return (line, visit) => {
    const later = isLater(line, visit);
    return isRecipient(line) && later ? unknown : answer(line, visit);
  };
}

/** A host that keeps a memory for each session and updates it on each line. */
export function remembering<Memory>(
  begin: () => Memory,
  isLater: (memory: Memory, line: string) => boolean,
): (line: string, visit: Visit) => boolean {
  const memories = new Map<Visit, Memory>();
  return (line, visit) => {
    const memory = memories.get(visit) ?? begin();
    memories.set(visit, memory);
    return isLater(memory, line);
  };
}

/** The made-up recipients to compare an address with. */
export type MadeUpOf = (address: string) => readonly MadeUpRecipient[];

const madeUpForAll: MadeUpOf = () => [
  { shape: 'alike', localPart: 'qwertz' },
  { shape: 'random', localPart: 'anna.17' },
];

/** Asks one after the other, as sequential callers do. */
export async function resultsOf(
  host: UnrulyHost,
  addresses: readonly string[],
  madeUp?: MadeUpOf,
): Promise<string[]> {
  const resultOf = proberAt(host, madeUp);
  const results: string[] = [];
  for (const address of addresses) {
    results.push(await resultOf(address));
  }
  return results;
}

export function resultsAtOnce(
  host: UnrulyHost,
  addresses: readonly string[],
  madeUp?: MadeUpOf,
): Promise<string[]> {
  return Promise.all(addresses.map(proberAt(host, madeUp)));
}

/** Asks about a whole list as a validation job does, at most so many at a time. */
export function resultsInAList(
  host: UnrulyHost,
  addresses: readonly string[],
  madeUp: MadeUpOf,
  inFlightMax: number,
): Promise<string[]> {
  return resultsBy(inFlightMax, proberAt(host, madeUp, jobDeadlineMs, shuffledList), addresses);
}

/** Probes a host and remembers its replies to made-up recipients. */
export function proberAt(
  host: UnrulyHost,
  madeUp = madeUpForAll,
  timeoutMs = 60_000,
  list?: AddressList,
): (address: string) => Promise<string> {
  const asker = poolAt(host);
  const ports = {
    asker,
    memory: createLocalComparisonMemory(clock),
    clock,
    nowMs: Date.now,
    onStoreFailed(error: unknown) {
      throw error;
    },
  };
  const comparisons = createComparisons(ports, { conclusiveMs: 60_000, inconclusiveMs: 0 });
  return async address => {
    const plan = { madeUp: madeUp(address), host: 'mx.d.example', address: '127.0.0.1', provider: undefined };
    const probe = await probeRecipient(
      { asker, comparisons, clock },
      { ...plan, email: emailOf(address), oneRecipientPerTransaction: false },
      deadlineAfter(clock, timeoutMs, new AbortController().signal, list),
    );
    const result = probe.kind === 'probed' ? decideByProbe(probe.result).result : probe.failure;
    return `${address} ${result}`;
  };
}

/** Asks about some recipients at once, and then about all of them at once. */
export async function resultsInTwoParts(host: UnrulyHost, addresses: readonly string[]): Promise<string[]> {
  const resultOf = proberAt(host);
  await Promise.all(addresses.slice(0, 3).map(resultOf));
  return Promise.all(addresses.map(resultOf));
}

/** Asks about three at a time. */
export function resultsByThree(
  host: UnrulyHost,
  addresses: readonly string[],
  madeUp?: MadeUpOf,
): Promise<string[]> {
  return resultsBy(3, proberAt(host, madeUp), addresses);
}

async function resultsBy(
  inFlightMax: number,
  resultOf: (address: string) => Promise<string>,
  addresses: readonly string[],
): Promise<string[]> {
  const results: string[] = [];
  const waiting = addresses.entries();
  const work = async () => {
    for (const [index, address] of waiting) {
      results[index] = await resultOf(address);
    }
  };
  await Promise.all(Array.from({ length: inFlightMax }, work));
  return results;
}

/** Addresses from their local parts; the domain is `a.example` unless a letter says otherwise. */
export function addressesOf(list: string): readonly string[] {
  return list.split(' ').map(one => `${one.includes('@') ? one : `${one}@a`}.example`);
}
