import { setTimeout as sleep } from 'node:timers/promises';
import { startJob, uploadJob } from '../list-work.ts';
import { rowsOf } from '../lists.ts';
import { signInPerson } from '../person.ts';
import type { LoadHouse } from './load-house.ts';

/** The lists that were validated during the load; times are from a list's first octet to its last verdict. */
export interface JobsRun {
  readonly jobs: number;
  readonly rows: number;
  readonly seconds: readonly number[];
  readonly errors: readonly string[];
}

const rowsPerJob = 200;
/** The interval between the starts of two lists, in milliseconds, regardless of how long a list takes. */
export const everyMs = 15_000;
const patienceMs = 60_000;

/** Validates lists at intervals until it is stopped. */
export function sendLists(
  { house, customers, addresses }: LoadHouse,
  signal: AbortSignal,
): { end(): Promise<JobsRun> } {
  const [url = ''] = house.gatewayUrls;
  const seconds: number[] = [];
  const errors: string[] = [];
  const ending = new AbortController();

  async function sendOne(person: Awaited<ReturnType<typeof signIn>>): Promise<void> {
    const startedMs = performance.now();
    const jobId = await uploadJob(person, rowsOf(addresses.take(rowsPerJob)));
    const { state } = await (await startJob(person, jobId, signal)).ended;
    if (state === 'succeeded') seconds.push((performance.now() - startedMs) / 1_000);
    else errors.push(`a job has ${state}`);
  }

  async function signIn() {
    return (await signInPerson(url, customers.lists, signal))(patienceMs, signal);
  }

  async function sendUntilEnd(): Promise<void> {
    const person = await signIn();
    const inFlight: Promise<void>[] = [];
    while (!ending.signal.aborted) {
      inFlight.push(sendOne(person).catch(error => void errors.push((error as Error).message)));
      await sleep(everyMs, undefined, { signal: ending.signal }).catch(() => undefined);
    }
    await Promise.all(inFlight);
  }

  const all = sendUntilEnd();
  all.catch(() => undefined);
  return {
    async end() {
      ending.abort();
      await all;
      return { jobs: seconds.length, rows: seconds.length * rowsPerJob, seconds, errors };
    },
  };
}
