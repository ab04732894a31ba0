import { connectAssistant } from './assistant.ts';
import type { Ground } from './ground.ts';
import { startJob, takeIn } from './list-work.ts';
import { rowsOf } from './lists.ts';
import { signInPerson } from './person.ts';
import { type Preparation, patienceMs } from './workload.ts';

/** Signs in, connects an assistant, and has a first list validated, whose rows are pushed later. */
export async function prepare(ground: Ground, rows: number, signal: AbortSignal): Promise<Preparation> {
  const [assistant, personFor] = await Promise.all([
    connectAssistant(ground.urlOf('mcp-server'), ground.customers.tools),
    signInPerson(ground.urlOf('gateway'), ground.customers.lists, signal),
  ]);
  const person = personFor(patienceMs, signal);
  const listRows = rowsOf(ground.addresses.take(rows));
  const jobId = await takeIn(person, listRows);
  const { ended } = await startJob(person, jobId, signal);
  const { state } = await ended;
  if (state !== 'succeeded') throw new Error(`The first list has ${state}.`);
  return { assistant, personFor, earlier: { jobId, rows: listRows } };
}
