import { setImmediate, setTimeout } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { collectGarbageOfStart } from '@mailproof/service-kit/collect-garbage';
import { answerQuestion, oneEachTurn } from './answer-question.ts';
import { ColumnsCopy } from './columns-copy.ts';
import { countRecords, openFollowing, StoreFollower } from './follow-store.ts';
import type { FromThread, Question, ThreadSettings, ToThread } from './thread-messages.ts';

/** The thread of the people index: follows the store over its own connection, and answers questions in between. */

const settings = workerData as ThreadSettings;
const loadRetryMs = 1_000;
/** The pause after a round, as a multiple of its duration: at least half of the thread's time is for questions. */
const pausePerRound = 1;

const pool = openFollowing(settings.databaseUrl, settings.records ?? 'people', error =>
  tell({ kind: 'read_failed', error }),
);
const stopping = new AbortController();
/** The copy that answers; undefined while it is filled. */
let copy: ColumnsCopy | undefined;

// One per turn: the store is followed in between, however many questions arrive.
parentPort?.on('message', oneEachTurn(take));

await follow();
await pool.end();
parentPort?.close();

function tell(message: FromThread): void {
  parentPort?.postMessage(message);
}

function take(message: ToThread): void {
  if (message.kind === 'stop') {
    stopping.abort();
  } else {
    answer(message);
  }
}

function answer(question: Question): void {
  tell({ kind: 'answer', id: question.id, answer: answerQuestion(question, copy?.columns, Date.now()) });
}

async function follow(): Promise<void> {
  let follower: StoreFollower | undefined;
  while (!stopping.signal.aborted && !follower) {
    try {
      follower = await load();
    } catch (error) {
      await failed(error, loadRetryMs);
    }
  }
  let seenAt = new Date();
  while (!stopping.signal.aborted && follower) {
    const startedAt = new Date();
    try {
      await follower.refresh();
      seenAt = startedAt;
    } catch (error) {
      await failed(error, 0);
    }
    tellReady(seenAt, follower.readUpTo);
    await pause(Math.max(settings.refreshIntervalMs, (Date.now() - startedAt.getTime()) * pausePerRound));
  }
}

async function load(): Promise<StoreFollower> {
  const { peopleMax, records } = settings;
  const peopleExpected = Math.min(await countRecords(pool, peopleMax + 1, records), peopleMax);
  const loading = new ColumnsCopy(pool, peopleMax, peopleExpected);
  const follower = await StoreFollower.begin(pool, loading, pause, records);
  await follower.fill(0, () => {
    stopping.signal.throwIfAborted();
    tell({ kind: 'status', status: { state: 'loading', people: loading.columns.people, peopleExpected } });
  });
  copy = loading;
  collectGarbageOfStart();
  return follower;
}

function tellReady(refreshedAt: Date, readUpTo: number): void {
  if (copy) {
    const { people, bytes } = copy.columns;
    const { isFull } = copy;
    tell({ kind: 'status', status: { state: 'ready', people, isFull, refreshedAt, readUpTo, bytes } });
  }
}

async function failed(error: unknown, pauseMs: number): Promise<void> {
  if (!stopping.signal.aborted) {
    tell({ kind: 'read_failed', error: error as Error });
    await pause(pauseMs);
  }
}

async function pause(ms: number): Promise<void> {
  if (ms > 0) {
    await setTimeout(ms, undefined, { signal: stopping.signal }).catch(() => undefined);
  } else {
    await setImmediate();
  }
}
