import { Worker } from 'node:worker_threads';
import { threadUrl } from '@mailproof/service-kit';
import type { Pool } from 'pg';
import { PeopleColumns } from '../../domain/people-search/columns/people-columns.ts';
import {
  type PeopleIndex,
  type PeopleIndexStatus,
  PeopleIndexUnavailable,
  peoplePageMax,
  UnknownFilterValues,
} from '../../domain/people-search/people-index.ts';
import { lookUntilFound } from '../look-until-found.ts';
import { ask as askColumns } from './answer-question.ts';
import { type CopiedRecords, countRecords, lastChangeNo, openFollowing } from './follow-store.ts';
import type {
  Answer,
  FromThread,
  Question,
  QuestionKind,
  Questions,
  ThreadSettings,
  ToThread,
} from './thread-messages.ts';

/** The maximum number of waiting questions; further ones are told to retry. */
const backlogMax = 64;
/** The deadline for an answer, including waiting. */
const questionDeadlineMs = 5_000;
/** The pauses before a crashed thread is restarted; each is twice the previous one. */
const restartPausesMs = { first: 500, longest: 30_000 } as const;
/** How long a thread may take to exit on its own. */
const stopDeadlineMs = 5_000;

export interface PeopleIndexEvents {
  /** The thread crashed; a new one is started and loads everything again. */
  peopleIndexCrashed(error: Error, records: CopiedRecords): void;
  /** The store could not be read; the index serves the data that it has and retries. */
  peopleIndexReadFailed(error: Error, records: CopiedRecords): void;
  peopleIndexLoaded(people: number, durationMs: number, records: CopiedRecords): void;
  peopleIndexFull(peopleMax: number, records: CopiedRecords): void;
}

export interface PeopleIndexOptions extends ThreadSettings {
  readonly events: PeopleIndexEvents;
  /** Starts the thread; tests use it to get hold of the thread and kill it. */
  readonly startThread?: (settings: ThreadSettings) => Worker;
}

/** Starts a thread of the index. */
export function startIndexThread(settings: ThreadSettings): Worker {
  return new Worker(threadUrl('index-thread', import.meta.url), { workerData: settings });
}

/** An index of people, or of companies, in a thread that starts when the store has the first record. */
export interface RunningPeopleIndex extends PeopleIndex {
  start(): void;
  /** Ends the thread; pending questions fail with the reason that the index is closed. */
  close(): Promise<void>;
}

interface Waiting {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

export function createPeopleIndex(options: PeopleIndexOptions): RunningPeopleIndex {
  const { events, startThread = startIndexThread, ...settings } = options;
  const { records = 'people' } = settings;
  const waiting = new Map<number, Waiting>();
  let firstRecord: ReturnType<typeof lookUntilFound> | undefined;
  /** Columns without records: they answer from when the store was found empty until the thread is ready. */
  let empty: PeopleColumns | undefined;
  let thread: Worker | undefined;
  let status: PeopleIndexStatus = { state: 'loading', people: 0, peopleExpected: 0 };
  let nextId = 1;
  let closed = false;
  let restart: NodeJS.Timeout | undefined;
  let restartPauseMs: number = restartPausesMs.first;
  let startedAtMs = 0;
  let isLoaded = false;
  let toldFull = false;

  function start(): void {
    startedAtMs = performance.now();
    status = { state: 'loading', people: 0, peopleExpected: 0 };
    isLoaded = false;
    const failed = (error: Error) => events.peopleIndexReadFailed(error, records);
    firstRecord = lookUntilFound({
      pool: openFollowing(settings.databaseUrl, records, failed),
      intervalMs: settings.refreshIntervalMs,
      look: lookForRecord,
      failed,
      found: startIndex,
    });
  }

  async function lookForRecord(pool: Pool): Promise<boolean> {
    const refreshedAt = new Date();
    const readUpTo = await lastChangeNo(pool);
    const hasRecord = (await countRecords(pool, 1, records)) > 0;
    if (!hasRecord) {
      empty ??= new PeopleColumns();
      takeStatus({ state: 'ready', people: 0, isFull: false, refreshedAt, readUpTo, bytes: 0 });
    }
    return hasRecord;
  }

  function startIndex(): void {
    startedAtMs = performance.now();
    isLoaded = false;
    const started = startThread(settings);
    thread = started;
    started.on('message', (message: FromThread) => take(message));
    let crash: Error | undefined;
    started.on('error', error => {
      crash = error as Error;
    });
    started.on('exit', () => {
      if (thread === started) {
        thread = undefined;
        empty = undefined;
        rejectAll(new PeopleIndexUnavailable('failed', 'The search is restarting.', 5));
        if (!closed) {
          events.peopleIndexCrashed(
            crash ?? new Error(`The thread of the ${records} index exited.`),
            records,
          );
          status = { state: 'failed', reason: 'its thread crashed and is restarting' };
          restart = setTimeout(start, restartPauseMs);
          restartPauseMs = Math.min(restartPauseMs * 2, restartPausesMs.longest);
        }
      }
    });
  }

  function take(message: FromThread): void {
    if (message.kind === 'answer') {
      settle(message.id, message.answer);
    } else if (message.kind === 'read_failed') {
      events.peopleIndexReadFailed(message.error, records);
    } else if (empty === undefined || message.status.state === 'ready') {
      empty = undefined;
      takeStatus(message.status);
    }
  }

  function takeStatus(next: PeopleIndexStatus): void {
    if (next.state === 'ready' && !isLoaded) {
      isLoaded = true;
      restartPauseMs = restartPausesMs.first;
      events.peopleIndexLoaded(next.people, performance.now() - startedAtMs, records);
    }
    if (next.state === 'ready' && next.isFull && !toldFull) {
      toldFull = true;
      events.peopleIndexFull(settings.peopleMax, records);
    }
    status = next;
  }

  function settle(id: number, answer: Answer): void {
    const asked = waiting.get(id);
    if (!asked) {
      return;
    }
    clearTimeout(asked.timer);
    waiting.delete(id);
    if (answer.outcome === 'answered') {
      asked.resolve(answer.answer as never);
    } else if (answer.outcome === 'unknown_values') {
      asked.reject(new UnknownFilterValues(answer.values));
    } else if (answer.outcome === 'failed') {
      asked.reject(new Error(`The ${records} index failed during a request.`, { cause: answer.error }));
    } else {
      asked.reject(answer.outcome === 'loading' ? stillLoading(status, records) : tooLate());
    }
  }

  function rejectAll(error: Error): void {
    for (const { reject, timer } of waiting.values()) {
      clearTimeout(timer);
      reject(error);
    }
    waiting.clear();
  }

  async function ask<Kind extends QuestionKind>(
    kind: Kind,
    question: Questions[Kind]['ask'],
  ): Promise<Questions[Kind]['answer']> {
    if (closed) {
      throw new PeopleIndexUnavailable('closed', 'The search is shutting down.', 5);
    }
    if (empty) {
      return askColumns(empty, kind, question);
    }
    if (!thread || status.state !== 'ready') {
      throw stillLoading(status, records);
    }
    if (waiting.size >= backlogMax) {
      throw new PeopleIndexUnavailable('busy', 'Too many searches are waiting right now.', 1);
    }
    const id = nextId;
    nextId += 1;
    const deadlineAtMs = Date.now() + questionDeadlineMs;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(id);
        reject(tooLate());
      }, questionDeadlineMs);
      waiting.set(id, { resolve, reject, timer });
      const message: ToThread = { kind, id, deadlineAtMs, ...question } as Question;
      thread?.postMessage(message);
    });
  }

  return {
    start,
    status: () => status,
    count: ({ filters, members, facets = false, skip }) =>
      ask('count', { filters, members, facets, skipped: inOrder(skip) }),
    page: ({ filters, members, after, limit, skip }) =>
      ask('page', {
        filters,
        members,
        after,
        limit: Math.min(limit, peoplePageMax),
        skipped: inOrder(skip),
      }),
    vocabulary: () => ask('vocabulary', {}),
    async close() {
      closed = true;
      clearTimeout(restart);
      rejectAll(new PeopleIndexUnavailable('closed', 'The search is shutting down.', 5));
      await firstRecord?.close();
      const ending = thread;
      if (ending) {
        const exited = new Promise<void>(resolve => ending.once('exit', () => resolve()));
        ending.postMessage({ kind: 'stop' } satisfies ToThread);
        const late = setTimeout(() => void ending.terminate(), stopDeadlineMs);
        await exited;
        clearTimeout(late);
      }
    },
  };
}

function inOrder(numbers: readonly number[] | Int32Array | undefined): Int32Array {
  return Int32Array.from(numbers ?? []).sort();
}

function tooLate(): PeopleIndexUnavailable {
  return new PeopleIndexUnavailable('late', 'The search took too long.', 2);
}

function stillLoading(status: PeopleIndexStatus, records: string): PeopleIndexUnavailable {
  if (status.state === 'failed') {
    return new PeopleIndexUnavailable('failed', 'The search is restarting.', 5);
  }
  const { people, peopleExpected } = status.state === 'loading' ? status : { people: 0, peopleExpected: 0 };
  const progress =
    peopleExpected === 0
      ? 'has just started'
      : `has loaded ${people.toLocaleString('en')} of ${peopleExpected.toLocaleString('en')} ${records}`;
  return new PeopleIndexUnavailable('loading', `The index is still loading: it ${progress}.`, 5);
}
