import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { projectRoot } from '../project-root.ts';
import {
  filesOf,
  functionsRun,
  inOrder,
  type RunFile,
  type RunFunction,
  runByRequest,
} from './functions-run.ts';
import type { InspectedProcess } from './inspected-process.ts';

/** The files that a service runs for a request, in the order in which the request reaches them. */
export interface ServiceWalk {
  readonly service: string;
  readonly files: readonly RunFile[];
}

/**
 * Requests of one kind with new answers: the first triggers late loading, the second is counted, the third shows the
 * order.
 */
export type Requests = readonly [warmUp: Request, counted: Request, ordered: Request];

type Request = () => Promise<unknown>;

/** Follow-up work of a request, such as the settlement of its hold, ends within this time. */
const settleMs = 500;
const ourCode = pathToFileURL(`${projectRoot}/`);

/** Follows a request through services, without the work that they also do without a request. */
export async function walk(
  processes: readonly InspectedProcess[],
  [warmUp, counted, ordered]: Requests,
): Promise<ServiceWalk[]> {
  await runDuring(processes, warmUp);
  const idle = await runDuring(processes, async () => undefined);
  const during = await runDuring(processes, counted);
  const ran = during.map((functions, index) => runByRequest(functions, idle[index] ?? []));
  const unseen = processes.find((_, index) => ran[index]?.length === 0);
  if (unseen) throw new Error(`No file of the ${unseen.service} was seen to run.`);
  // Coverage says what ran, but not when, so the third request determines the order.
  await Promise.all(processes.map((process, index) => process.noteFirstCalls(ran[index] ?? [])));
  await ordered();
  await sleep(settleMs);
  const calls = await Promise.all(processes.map(process => process.firstCalls()));
  return processes.map(({ service }, index) => ({
    service,
    files: filesOf(inOrder(ran[index] ?? [], calls[index] ?? {})),
  }));
}

/** Returns what runs in each process during a request and right after it. */
async function runDuring(processes: readonly InspectedProcess[], request: Request): Promise<RunFunction[][]> {
  const take = () => Promise.all(processes.map(process => process.takeCoverage()));
  await take();
  await request();
  await sleep(settleMs);
  return (await take()).map(coverage => functionsRun(coverage, ourCode));
}
