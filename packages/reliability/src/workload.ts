import { waitFor } from '@mailproof/dev-house';
import type { Refusal } from './ask.ts';
import type { Assistant, ToolVerdict } from './assistant.ts';
import type { Ground } from './ground.ts';
import { type Followed, startJob, startPush, takeIn } from './list-work.ts';
import { type ListRow, rowsOf } from './lists.ts';
import type { Person } from './person.ts';
import { openStream, type Question, type SingleAnswer, validateSingle } from './single-validations.ts';

/** What is there before a fault: somebody signed in, an assistant connected, and a list that was validated. */
export interface Preparation {
  readonly assistant: Assistant;
  readonly personFor: (deadlineMs: number, signal: AbortSignal) => Person;
  readonly earlier: { readonly jobId: string; readonly rows: readonly ListRow[] };
}

/** Everything that customers do at once. */
export interface Workload {
  /** Seconds until each kind of work was seen to succeed after a moment; null where it had come to its end before. */
  recovery(atMs: number): Promise<Recovery>;
  /** Asks nothing new, and waits until all is done. */
  finish(): Promise<Work>;
}

export type WorkKind = 'single' | 'tool' | 'job' | 'push';
export type Recovery = Readonly<Record<WorkKind, number | null>>;

/** What was asked, and what customers know of it; the judge looks at the rest. */
export interface Work {
  readonly singles: readonly Question<SingleAnswer>[];
  readonly tools: readonly Question<ToolVerdict>[];
  readonly job: { readonly id: string; readonly rows: readonly ListRow[] };
  readonly push: { readonly id: string; readonly rows: readonly ListRow[] };
  /** How the job and the push have ended. */
  readonly ends: Readonly<Record<'job' | 'push', string>>;
  readonly refusals: readonly Refusal[];
  readonly requests: number;
}

/** How long somebody asks again before a request is lost. */
export const patienceMs = 90_000;
const recoveryMsMax = 60_000;
const underWayMsMax = 60_000;
const workMsMax = 300_000;
const pushRowsPerSecond = 20;
/** So that a job takes long enough for something to break in its middle. */
export const slowRoundTripMs = 80;
/** A part of a job and of a push that is to be done before something breaks. */
const underWayShare = 0.2;

/** Begins the whole workload, and answers when each part of it is under way. */
export async function startWorkload(
  ground: Ground,
  { assistant, personFor, earlier }: Preparation,
  rows: number,
  signal: AbortSignal,
): Promise<Workload> {
  const { addresses, customers, lab, receiver } = ground;
  const person = personFor(patienceMs, signal);
  const jobRows = rowsOf(addresses.take(rows));
  const jobId = await takeIn(person, jobRows);
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
    'Every kind of work is under way',
    () =>
      [job, push].every(isUnderWay) &&
      [singles, tools].every(({ questions }) => questions.some(({ asked }) => asked !== undefined)),
    { deadlineMs: underWayMsMax },
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
        // What had arrived at the receiver before has still to come to its end.
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

function isUnderWay({ progress }: Followed): boolean {
  const { done, total } = progress();
  return total > 0 && done >= underWayShare * total;
}

function isOver({ progress }: Followed): boolean {
  const { done, total } = progress();
  return total > 0 && done >= total;
}

/** The state in which something ended, or what was wrong instead. */
async function endOf({ ended }: Followed, field: 'state' | 'status'): Promise<string> {
  const tooLong = new Promise<string>(resolve => setTimeout(resolve, workMsMax, 'still going on').unref());
  return Promise.race([ended.then(answer => String(answer[field])), tooLong]).catch(error =>
    String((error as Error).message),
  );
}
