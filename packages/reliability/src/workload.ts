import { waitFor } from '@mailproof/dev-house';
import type { Refusal } from './ask.ts';
import { type Assistant, connectAssistant, type ToolVerdict } from './assistant.ts';
import type { Ground } from './ground.ts';
import { type Followed, startJob, startPush, uploadJob } from './list-work.ts';
import { type ListRow, rowsOf } from './lists.ts';
import { type Person, signInPerson } from './person.ts';
import { openStream, type Question, type SingleAnswer, validateSingle } from './single-validations.ts';

/** The state before a fault: a signed-in user, a connected assistant, and a validated list. */
export interface Preparation {
  readonly assistant: Assistant;
  readonly personFor: (deadlineMs: number, signal: AbortSignal) => Person;
  readonly earlier: { readonly jobId: string; readonly rows: readonly ListRow[] };
}

/** All work that customers do at the same time. */
interface Workload {
  /**
   * Returns the seconds from a given time to the first success of each kind of work; null if that work had already
   * ended.
   */
  recovery(atMs: number): Promise<Recovery>;
  /** Sends nothing new, and waits until all work is done. */
  finish(): Promise<Work>;
}

type WorkKind = 'single' | 'tool' | 'job' | 'push';
export type Recovery = Readonly<Record<WorkKind, number | null>>;

/** The sent requests and the results that customers know of; the judge checks the rest. */
export interface Work {
  readonly singles: readonly Question<SingleAnswer>[];
  readonly tools: readonly Question<ToolVerdict>[];
  readonly job: { readonly id: string; readonly rows: readonly ListRow[] };
  readonly push: { readonly id: string; readonly rows: readonly ListRow[] };
  /** How the job and the push ended. */
  readonly ends: Readonly<Record<'job' | 'push', string>>;
  readonly refusals: readonly Refusal[];
  readonly requests: number;
}

/** How long a client retries before a request counts as lost. */
export const patienceMs = 90_000;
const recoveryMsMax = 60_000;
const activeMsMax = 60_000;
const workMsMax = 300_000;
const pushRowsPerSecond = 20;
/** Latency that makes a job long enough for a fault in its middle. */
const slowRoundTripMs = 80;
/** The share of the job and of the push that must be done before a fault. */
const activeShare = 0.2;

/** Starts the whole workload and resolves when each part of it is running. */
export async function startWorkload(
  ground: Ground,
  { assistant, personFor, earlier }: Preparation,
  rows: number,
  signal: AbortSignal,
): Promise<Workload> {
  const { addresses, customers, lab, receiver } = ground;
  const person = personFor(patienceMs, signal);
  const jobRows = rowsOf(addresses.take(rows));
  const jobId = await uploadJob(person, jobRows);
  await assistant.renew();
  lab.setRoundTripMs(slowRoundTripMs);
  const [nextEmail] = [() => addresses.take(1)[0] as string];
  const singles = openStream(
    nextEmail,
    email => validateSingle(ground.urlOf('gateway'), customers.singles.apiKey, email),
    { clients: 4, everyMs: 150, deadlineMs: patienceMs, signal },
  );
  const tools = openStream(nextEmail, email => of => assistant.validate(email, of), {
    ...{ clients: 2, everyMs: 300, deadlineMs: patienceMs, signal },
  });
  const job = await startJob(person, jobId, signal);
  const url = `${receiver.url}/hook`;
  const push = await startPush(person, earlier.jobId, { url, rowsPerSecondMax: pushRowsPerSecond, signal });
  await waitFor(
    'Every kind of work is running',
    () =>
      [job, push].every(isActive) &&
      [singles, tools].every(({ questions }) => questions.some(({ asked }) => asked !== undefined)),
    { deadlineMs: activeMsMax },
  );

  const arrivedSince = (atMs: number) =>
    receiver.requests.find(
      request => request.atMs >= atMs && String(request.headers['webhook-id']).startsWith(`${push.id}_`),
    )?.atMs;

  return {
    async recovery(atMs) {
      const firsts: Readonly<Record<WorkKind, () => number | undefined>> = {
        single: () => singles.answeredSince(atMs),
        tool: () => tools.answeredSince(atMs),
        job: () => job.movedSince(atMs),
        // Deliveries that arrived at the receiver earlier may complete only now.
        push: () => arrivedSince(atMs) ?? push.movedSince(atMs),
      };
      const hadEnded = { single: false, tool: false, job: isOver(job), push: isOver(push) };
      const seconds = await Promise.all(
        Object.entries(firsts).map(async ([kind, first]) => {
          if (hadEnded[kind as WorkKind]) return [kind, null] as const;
          const firstAtMs = await waitFor(`Work of the kind ${kind} succeeds again`, first, {
            deadlineMs: recoveryMsMax,
          }).catch(() => Number.POSITIVE_INFINITY);
          return [kind, (firstAtMs - atMs) / 1_000] as const;
        }),
      );
      return Object.fromEntries(seconds) as Recovery;
    },
    async finish() {
      lab.setRoundTripMs(0);
      await Promise.all([singles.end(), tools.end()]);
      const [jobEnd, pushEnd] = await Promise.all([endOf(job, 'state'), endOf(push, 'status')]);
      const questions = [...singles.questions, ...tools.questions];
      const refusals = [...questions.flatMap(question => question.refusals), ...person.refusals];
      return {
        singles: singles.questions,
        tools: tools.questions,
        job: { id: jobId, rows: jobRows },
        push: { id: push.id, rows: earlier.rows },
        ends: { job: jobEnd, push: pushEnd },
        refusals,
        requests: questions.length,
      };
    },
  };
}

function isActive({ progress }: Followed): boolean {
  const { done, total } = progress();
  return total > 0 && done >= activeShare * total;
}

function isOver({ progress }: Followed): boolean {
  const { done, total } = progress();
  return total > 0 && done >= total;
}

/** The final state of the work, or its error. */
async function endOf({ ended }: Followed, field: 'state' | 'status'): Promise<string> {
  const tooLong = new Promise<string>(resolve => setTimeout(resolve, workMsMax, 'still running').unref());
  return Promise.race([ended.then(answer => String(answer[field])), tooLong]).catch(error =>
    String((error as Error).message),
  );
}

/** Signs in, connects an assistant, and validates a first list, whose rows are pushed later. */
export async function prepare(ground: Ground, rows: number, signal: AbortSignal): Promise<Preparation> {
  const [assistant, personFor] = await Promise.all([
    connectAssistant(ground.urlOf('mcp-server'), ground.customers.tools),
    signInPerson(ground.urlOf('gateway'), ground.customers.lists, signal),
  ]);
  const person = personFor(patienceMs, signal);
  const listRows = rowsOf(ground.addresses.take(rows));
  const jobId = await uploadJob(person, listRows);
  const { ended } = await startJob(person, jobId, signal);
  const { state } = await ended;
  if (state !== 'succeeded') throw new Error(`The first list has ${state}.`);
  return { assistant, personFor, earlier: { jobId, rows: listRows } };
}
