import { Worker } from 'node:worker_threads';
import { threadUrl } from '@mailproof/service-kit';
import { companiesMin } from '../../domain/lookalike/build-model.ts';
import {
  type LookalikeAnswer,
  LookalikeFault,
  type LookalikeQuestion,
  type LookalikeRanking,
  type LookalikeStatus,
} from '../../domain/lookalike/lookalike-ranking.ts';
import { runBuild } from './run-build.ts';
import type {
  BuildResult,
  FollowedState,
  FromRanking,
  RankingSettings,
  ToRanking,
} from './thread-messages.ts';

const waitingMax = 200;
const attemptsMax = 2;
const restartFirstMs = 100;
const restartMaxMs = 30_000;
const stopDeadlineMs = 5_000;

/** After a build the next one waits for so many times as long as it took, so that imports are not all building. */
const restFactor = 4;

export interface WorkerRankingOptions extends RankingSettings {
  /** Time that a question may take, in milliseconds. */
  readonly questionDeadlineMs: number;
  /** Least time from the end of a build to the beginning of the next, in milliseconds. */
  readonly buildPauseMinMs: number;
  /** Where the thread begins; another place lets a test lose it. */
  readonly threadUrl?: URL;
  readonly events: {
    lookalikeThreadLost(error: Error): void;
    lookalikeModelBegun(): void;
    lookalikeModelBuilt(result: BuildResult, durationMs: number): void;
    lookalikeModelFailed(error: Error): void;
    lookalikeReadFailed(error: Error): void;
  };
}

interface Waiting {
  readonly question: LookalikeQuestion;
  readonly deadlineAtMs: number;
  readonly resolve: (answer: LookalikeAnswer) => void;
  readonly reject: (error: Error) => void;
  attempts: number;
}

/** The ranking in a thread of its own: exact scans take tens of milliseconds that the event loop must not wait. */
export class WorkerRanking implements LookalikeRanking {
  readonly #options: WorkerRankingOptions;
  readonly #waiting = new Map<number, Waiting>();
  readonly #closing = new AbortController();
  #thread: Worker | undefined;
  #restartMs = restartFirstMs;
  #restartTimer: NodeJS.Timeout | undefined;
  #lastId = 0;
  #followed: FollowedState = { state: 'none', described: companiesMin };
  #buildDone: number | null = null;
  #building: Promise<void> = Promise.resolve();
  #buildNotBeforeMs = 0;

  constructor(options: WorkerRankingOptions) {
    this.#options = options;
  }

  start(): void {
    const { databaseUrl, refreshIntervalMs, rebuildShare, vectors } = this.#options;
    const workerData: RankingSettings = { databaseUrl, refreshIntervalMs, rebuildShare, vectors };
    const thread = new Worker(this.#options.threadUrl ?? threadUrl('ranking-thread', import.meta.url), {
      workerData,
      name: 'lookalikes',
    });
    thread.on('message', (message: FromRanking) => this.#hear(message));
    thread.on('error', error => this.#lose(thread, error as Error));
    thread.on('exit', code => this.#lose(thread, new Error(`The thread of lookalikes ended with ${code}.`)));
    this.#thread = thread;
    for (const [id, waiting] of this.#waiting) {
      this.#ask(id, waiting);
    }
  }

  rank(question: LookalikeQuestion, signal?: AbortSignal): Promise<LookalikeAnswer> {
    signal?.throwIfAborted();
    if (this.#waiting.size >= waitingMax) {
      return Promise.reject(new LookalikeFault('busy', 'Too many questions for lookalikes wait already.'));
    }
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<LookalikeAnswer>();
    const deadlineAtMs = Date.now() + this.#options.questionDeadlineMs;
    const waiting: Waiting = { question, deadlineAtMs, resolve, reject, attempts: 0 };
    this.#waiting.set(id, waiting);
    const timer = setTimeout(
      () => reject(new LookalikeFault('no_answer', 'Lookalikes took longer than their deadline.')),
      this.#options.questionDeadlineMs,
    );
    const abort = () => reject(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    this.#ask(id, waiting);
    return promise.finally(() => {
      this.#waiting.delete(id);
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    });
  }

  status(): LookalikeStatus {
    const followed = this.#followed;
    if (followed.state === 'ready') {
      return { ...followed, rebuilding: this.#buildDone };
    }
    return followed.described < companiesMin
      ? { state: 'too_few_companies', companies: followed.described, companiesMin }
      : { state: 'building', done: this.#buildDone ?? 0 };
  }

  /** Looks at the store now, not at the next turn of the interval. */
  refresh(): void {
    this.#post({ kind: 'refresh' });
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('The ranking of lookalikes closes.'));
    clearTimeout(this.#restartTimer);
    for (const { reject } of this.#waiting.values()) {
      reject(new LookalikeFault('no_answer', 'The ranking of lookalikes closes.'));
    }
    const thread = this.#thread;
    this.#thread = undefined;
    if (thread !== undefined) {
      thread.postMessage({ kind: 'stop' } satisfies ToRanking);
      await endOf(thread);
    }
    await this.#building;
  }

  #ask(id: number, waiting: Waiting): void {
    const { question, deadlineAtMs } = waiting;
    if (this.#thread !== undefined) {
      waiting.attempts++;
      this.#post({ kind: 'rank', id, question, deadlineAtMs });
    }
  }

  #post(message: ToRanking): void {
    this.#thread?.postMessage(message);
  }

  #hear(message: FromRanking): void {
    if (message.kind === 'answer') {
      this.#waiting.get(message.id)?.resolve(message.answer);
    } else if (message.kind === 'refused') {
      this.#waiting.get(message.id)?.reject(errorOf(message));
    } else if (message.kind === 'read_failed') {
      this.#options.events.lookalikeReadFailed(message.error);
    } else {
      this.#restartMs = restartFirstMs;
      this.#followed = message.state;
      if (message.isBuildDue) {
        this.#buildWhenRested();
      }
    }
  }

  /** A thread that is gone comes back after a pause; a question that was with two of them is given up. */
  #lose(thread: Worker, error: Error): void {
    if (thread !== this.#thread) {
      return;
    }
    this.#thread = undefined;
    this.#options.events.lookalikeThreadLost(error);
    for (const { attempts, reject } of this.#waiting.values()) {
      if (attempts >= attemptsMax) {
        reject(new LookalikeFault('no_answer', 'The thread of lookalikes was lost over this question.'));
      }
    }
    this.#restartTimer = setTimeout(() => this.start(), this.#restartMs);
    this.#restartMs = Math.min(restartMaxMs, this.#restartMs * 2);
  }

  #buildWhenRested(): void {
    if (
      this.#buildDone !== null ||
      performance.now() < this.#buildNotBeforeMs ||
      this.#closing.signal.aborted
    ) {
      return;
    }
    const { databaseUrl, events, buildPauseMinMs } = this.#options;
    const replaces = this.#followed.state === 'ready' ? this.#followed.modelNo : null;
    const beganMs = performance.now();
    this.#buildDone = 0;
    events.lookalikeModelBegun();
    const onProgress = (done: number) => {
      this.#buildDone = done;
    };
    this.#building = runBuild({ databaseUrl, replaces }, { onProgress, signal: this.#closing.signal })
      .then(
        result => events.lookalikeModelBuilt(result, performance.now() - beganMs),
        (error: Error) => {
          if (!this.#closing.signal.aborted) {
            events.lookalikeModelFailed(error);
          }
        },
      )
      .then(() => {
        const endedMs = performance.now();
        this.#buildDone = null;
        this.#buildNotBeforeMs = endedMs + Math.max(buildPauseMinMs, restFactor * (endedMs - beganMs));
        this.refresh();
      });
  }
}

async function endOf(thread: Worker): Promise<void> {
  const timer = setTimeout(() => void thread.terminate(), stopDeadlineMs);
  await new Promise(resolve => thread.once('exit', resolve));
  clearTimeout(timer);
}

function errorOf({ code, message }: Extract<FromRanking, { kind: 'refused' }>): Error {
  if (code === 'out_of_bounds') {
    return new RangeError(message);
  }
  return code === 'failed' ? new Error(message) : new LookalikeFault(code, message);
}
