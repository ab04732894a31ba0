import { setTimeout as sleep } from 'node:timers/promises';
import { startJob, takeIn } from '../list-work.ts';
import { rowsOf } from '../lists.ts';
import { signInPerson } from '../person.ts';
import type { LoadHouse } from './load-house.ts';

/** The lists that were validated meanwhile, each from its first octet to its last verdict. */
export interface JobsRun {
  readonly jobs: number;
  readonly rows: number;
  readonly seconds: readonly number[];
  readonly errors: readonly string[];
}

const rowsPerJob = 200;
/** From one list to the next, however long it takes, in milliseconds. */
export const everyMs = 15_000;
const patienceMs = 60_000;

/** Has a list validated every now and then, until it is told to end. */
export function sendLists(
  { house, customers, addresses }: LoadHouse,
  signal: AbortSignal,
): { end(): Promise<JobsRun> } {
  const [url = ''] = house.gatewayUrls;
  const seconds: number[] = [];
  const errors: string[] = [];
  const ending = new AbortController();

  async function sendOne(person: Awaited<ReturnType<typeof signIn>>): Promise<void> {
    const beganMs = performance.now();
    const jobId = await takeIn(person, rowsOf(addresses.take(rowsPerJob)));
    const { state } = await (await startJob(person, jobId, signal)).ended;
    if (state === 'succeeded') seconds.push((performance.now() - beganMs) / 1_000);
    else errors.push(`a job has ${state}`);
  }

  async function signIn() {
    return (await signInPerson(url, customers.lists, signal))(patienceMs, signal);
  }

  async function sendOnAndOn(): Promise<void> {
    const person = await signIn();
    const underWay: Promise<void>[] = [];
    while (!ending.signal.aborted) {
      underWay.push(sendOne(person).catch(error => void errors.push((error as Error).message)));
      await sleep(everyMs, undefined, { signal: ending.signal }).catch(() => undefined);
    }
    await Promise.all(underWay);
  }

  const all = sendOnAndOn();
  all.catch(() => undefined);
  return {
    async end() {
      ending.abort();
      await all;
      return { jobs: seconds.length, rows: seconds.length * rowsPerJob, seconds, errors };
    },
  };
}
