import { setTimeout as sleep } from 'node:timers/promises';
import { csvOf, type ListRow } from './lists.ts';
import type { Answer, Person } from './person.ts';

/** Background work whose progress is polled. */
export interface Followed {
  readonly id: string;
  /** The last known progress, and the total. */
  readonly progress: () => { readonly done: number; readonly total: number };
  /** Returns when it first advanced after a given time; earlier progress does not count. */
  movedSince(atMs: number): number | undefined;
  /** The response when it has ended. */
  readonly ended: Promise<Answer>;
}

const pollMs = 200;
const ends = ['succeeded', 'failed', 'cancelled'];

/** Uploads rows as a job without starting it, and returns its id. */
export async function uploadJob(person: Person, rows: readonly ListRow[]): Promise<string> {
  const job = await person.send('POST', '/validation-jobs?name=Customers', 201, csvOf(rows));
  return String(job['job_id']);
}

export async function startJob(person: Person, jobId: string, signal: AbortSignal): Promise<Followed> {
  await person.send('POST', `/validation-jobs/${jobId}/start`, 202);
  return follow(
    jobId,
    () => person.get(`/validation-jobs/${jobId}`),
    job => ({ state: job['state'], done: Number(job['done']), total: Number(job['addresses']) }),
    signal,
  );
}

export interface PushOptions {
  readonly url: string;
  readonly rowsPerSecondMax: number;
  readonly signal: AbortSignal;
}

/** Pushes the rows of a job to a webhook, and sets the destination again if it was lost. */
export async function startPush(
  person: Person,
  jobId: string,
  { url, rowsPerSecondMax, signal }: PushOptions,
): Promise<Followed> {
  const destination = { url };
  const started = await person.send('POST', '/exports', 202, {
    source: { kind: 'validation_job', job_id: jobId },
    target: 'webhook',
    destination,
    options: { rows_per_second_max: rowsPerSecondMax },
  });
  const path = `/exports/${started['export_id']}`;
  async function look(): Promise<Answer> {
    const seen = await person.get(path);
    const failure = seen['failure'] as { readonly reason?: string } | null;
    if (failure?.reason !== 'destination_lost') return seen;
    const given = await person.send('PUT', `${path}/destination`, 200, { destination });
    return given['export'] as Answer;
  }
  return follow(
    String(started['export_id']),
    look,
    push => {
      const { delivered, total } = push['rows'] as { readonly delivered: number; readonly total: number };
      return { state: push['status'], done: delivered, total };
    },
    signal,
  );
}

/** Returns the rows of a job with their verdicts, as a file. */
export async function exportRows(person: Person, jobId: string, signal: AbortSignal): Promise<string> {
  const source = { kind: 'validation_job', job_id: jobId };
  const started = await person.send('POST', '/exports', 202, { source, target: 'csv' });
  const path = `/exports/${started['export_id']}`;
  const { ended } = follow(
    path,
    () => person.get(path),
    ({ status }) => ({ state: status, done: 0, total: 0 }),
    signal,
  );
  const { status } = await ended;
  if (status !== 'succeeded') throw new Error(`The export of ${jobId} has ${status}.`);
  return person.read(`${path}/file`);
}

function follow(
  id: string,
  look: () => Promise<Answer>,
  read: (answer: Answer) => { readonly state: unknown; readonly done: number; readonly total: number },
  signal: AbortSignal,
): Followed {
  let seen = { state: '' as unknown, done: 0, total: 0 };
  const moves: { readonly sinceMs: number; readonly atMs: number }[] = [];
  async function untilEnded(): Promise<Answer> {
    for (let lookedAtMs = 0; ; ) {
      const answer = await look();
      const before = seen;
      const atMs = Date.now();
      seen = read(answer);
      const isEnded = ends.includes(String(seen.state));
      if (isEnded) moves.push({ sinceMs: atMs, atMs });
      else if (seen.done > before.done) moves.push({ sinceMs: lookedAtMs, atMs });
      if (isEnded) return answer;
      lookedAtMs = atMs;
      await sleep(pollMs, undefined, { signal });
    }
  }
  const ended = untilEnded();
  ended.catch(() => undefined);
  return {
    id,
    ended,
    progress: () => seen,
    movedSince: atMs => moves.find(({ sinceMs }) => sinceMs >= atMs)?.atMs,
  };
}
