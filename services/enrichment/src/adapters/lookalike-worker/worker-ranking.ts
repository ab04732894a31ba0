import { Worker } from 'node:worker_threads';
import { threadUrl } from '@mailproof/service-kit';
import type { Pool } from 'pg';
import {
  aboutMinutes,
  companiesMin,
  type LookalikeAnswer,
  LookalikeFault,
  type LookalikeQuestion,
  type LookalikeRanking,
  type LookalikeStatus,
} from '../../domain/lookalike/lookalike-ranking.ts';
import { lookUntilFound } from '../look-until-found.ts';
import { newestModel, withoutModel } from './model-store.ts';
import {
  type BuildResult,
  type BuildSettings,
  type FollowedState,
  type FromBuilding,
  type FromRanking,
  noModelYet,
  openThreadDatabase,
  type RankingSettings,
  type ToRanking,
} from './threads.ts';

const waitingMax = 200;
const attemptsMax = 2;
const restartFirstMs = 100;
const restartMaxMs = 30_000;
const stopDeadlineMs = 5_000;

/** The pause after a failed build, as a multiple of its duration: the next one would probably fail too. */
const restFactor = 4;

/** How long a build takes for each company, in milliseconds, until one has been measured. */
const buildMsPerCompany = 2;
/** A smaller part of a build says too little about its duration. */
const tellingDone = 0.1;

interface WorkerRankingOptions extends RankingSettings {
  /** The deadline of a question, in milliseconds. */
  readonly questionDeadlineMs: number;
  /** The minimum time between the end of a build and the start of the next, in milliseconds. */
  readonly buildPauseMinMs: number;
  /** The thread's module; tests pass another one to lose the thread. */
  readonly threadUrl?: URL;
  readonly events: {
    lookalikeThreadLost(error: Error): void;
    lookalikeModelStarted(): void;
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

/**
 * Runs the ranking in a thread, because exact scans take tens of milliseconds, which would block the event loop. The
 * thread starts when there is a model.
 */
export class WorkerRanking implements LookalikeRanking {
  readonly #options: WorkerRankingOptions;
  readonly #waiting = new Map<number, Waiting>();
  readonly #closing = new AbortController();
  #firstModel: ReturnType<typeof lookUntilFound> | undefined;
  #thread: Worker | undefined;
  #restartMs = restartFirstMs;
  #restartTimer: NodeJS.Timeout | undefined;
  #lastId = 0;
  #followed: FollowedState = { state: 'none', described: companiesMin };
  #buildDone: number | null = null;
  #building: Promise<void> = Promise.resolve();
  #buildNotBeforeMs = 0;
  #buildStartedMs = 0;
  #buildTookMs: number | null = null;
  #isBuildDue = false;

  constructor(options: WorkerRankingOptions) {
    this.#options = options;
  }

  start(): void {
    const { databaseUrl, refreshIntervalMs, events } = this.#options;
    this.#firstModel = lookUntilFound({
      pool: openThreadDatabase(databaseUrl, 'lookalikes'),
      intervalMs: refreshIntervalMs,
      look: pool => this.#lookForModel(pool),
      failed: error => events.lookalikeReadFailed(error),
      found: () => this.#startThread(),
    });
  }

  async #lookForModel(pool: Pool): Promise<boolean> {
    const hasModel = (await newestModel(pool)) !== null;
    if (!hasModel) {
      this.#receive({ kind: 'followed', ...(await withoutModel(pool)) });
      for (const id of this.#waiting.keys()) {
        this.#receive({ kind: 'refused', id, code: 'not_ready', message: noModelYet });
      }
    }
    return hasModel;
  }

  #startThread(): void {
    const { databaseUrl, refreshIntervalMs, rebuildShare, vectors } = this.#options;
    const workerData: RankingSettings = { databaseUrl, refreshIntervalMs, rebuildShare, vectors };
    const thread = new Worker(this.#options.threadUrl ?? threadUrl('ranking-thread', import.meta.url), {
      workerData,
      name: 'lookalikes',
    });
    thread.on('message', (message: FromRanking) => this.#receive(message));
    thread.on('error', error => this.#lose(thread, error as Error));
    thread.on('exit', code => this.#lose(thread, new Error(`The lookalike thread exited with ${code}.`)));
    this.#thread = thread;
    for (const [id, waiting] of this.#waiting) {
      this.#ask(id, waiting);
    }
  }

  rank(question: LookalikeQuestion, signal?: AbortSignal): Promise<LookalikeAnswer> {
    signal?.throwIfAborted();
    if (this.#waiting.size >= waitingMax) {
      return Promise.reject(new LookalikeFault('busy', 'Too many lookalike requests are waiting.'));
    }
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<LookalikeAnswer>();
    const deadlineAtMs = Date.now() + this.#options.questionDeadlineMs;
    const waiting: Waiting = { question, deadlineAtMs, resolve, reject, attempts: 0 };
    this.#waiting.set(id, waiting);
    const timer = setTimeout(
      () => reject(new LookalikeFault('no_answer', 'The lookalike ranking exceeded its deadline.')),
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

  /** Polls the store now instead of at the next interval. */
  refresh(): void {
    if (this.#thread === undefined) {
      this.#firstModel?.lookNow();
    } else {
      this.#post({ kind: 'refresh' });
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('The lookalike ranking is shutting down.'));
    clearTimeout(this.#restartTimer);
    for (const { reject } of this.#waiting.values()) {
      reject(new LookalikeFault('no_answer', 'The lookalike ranking is shutting down.'));
    }
    const thread = this.#thread;
    this.#thread = undefined;
    if (thread !== undefined) {
      thread.postMessage({ kind: 'stop' } satisfies ToRanking);
      await endOf(thread);
    }
    await this.#firstModel?.close();
    await this.#building;
  }

  #ask(id: number, waiting: Waiting): void {
    const { question, deadlineAtMs } = waiting;
    if (this.#thread === undefined) {
      this.#firstModel?.lookNow();
    } else {
      waiting.attempts++;
      this.#post({ kind: 'rank', id, question, deadlineAtMs });
    }
  }

  #post(message: ToRanking): void {
    this.#thread?.postMessage(message);
  }

  #receive(message: FromRanking): void {
    if (message.kind === 'answer') {
      this.#waiting.get(message.id)?.resolve({ ...message.answer, nextModelMs: this.#nextModelMs() });
    } else if (message.kind === 'refused') {
      this.#waiting.get(message.id)?.reject(this.#errorOf(message));
    } else if (message.kind === 'read_failed') {
      this.#options.events.lookalikeReadFailed(message.error);
    } else {
      this.#restartMs = restartFirstMs;
      this.#followed = message.state;
      this.#isBuildDue = message.isBuildDue;
      if (message.isBuildDue) {
        this.#buildWhenRested();
      }
    }
  }

  /** Restarts a lost thread after a pause; a question that was lost with two threads is rejected. */
  #lose(thread: Worker, error: Error): void {
    if (thread !== this.#thread) {
      return;
    }
    this.#thread = undefined;
    this.#options.events.lookalikeThreadLost(error);
    for (const { attempts, reject } of this.#waiting.values()) {
      if (attempts >= attemptsMax) {
        reject(new LookalikeFault('no_answer', 'The lookalike thread crashed during this request.'));
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
    const startedMs = performance.now();
    this.#buildStartedMs = startedMs;
    this.#buildDone = 0;
    events.lookalikeModelStarted();
    const onProgress = (done: number) => {
      this.#buildDone = done;
    };
    this.#building = runBuild({ databaseUrl, replaces }, { onProgress, signal: this.#closing.signal })
      .then(
        result => {
          const tookMs = performance.now() - startedMs;
          if (result.outcome === 'built') {
            this.#buildTookMs = tookMs;
          }
          events.lookalikeModelBuilt(result, tookMs);
          return buildPauseMinMs;
        },
        (error: Error) => {
          if (!this.#closing.signal.aborted) {
            events.lookalikeModelFailed(error);
          }
          return Math.max(buildPauseMinMs, restFactor * (performance.now() - startedMs));
        },
      )
      .then(pauseMs => {
        this.#buildDone = null;
        this.#buildNotBeforeMs = performance.now() + pauseMs;
        this.refresh();
      });
  }

  /** The estimated time until the next model is ready, in milliseconds; null if none is due. */
  #nextModelMs(): number | null {
    const wholeMs =
      this.#buildTookMs ??
      buildMsPerCompany * (this.#followed.state === 'ready' ? this.#followed.companies : companiesMin);
    if (this.#buildDone === null) {
      return this.#isBuildDue ? Math.max(0, this.#buildNotBeforeMs - performance.now()) + wholeMs : null;
    }
    const passedMs = performance.now() - this.#buildStartedMs;
    return this.#buildDone < tellingDone
      ? Math.max(0, wholeMs - passedMs)
      : (passedMs * (1 - this.#buildDone)) / this.#buildDone;
  }

  #errorOf({ code, message }: Extract<FromRanking, { kind: 'refused' }>): Error {
    if (code === 'out_of_bounds') {
      return new RangeError(message);
    }
    const leftMs = code === 'not_ready' ? this.#nextModelMs() : null;
    const estimate = leftMs === null ? '' : ` It is ready in ${aboutMinutes(leftMs)}.`;
    return code === 'failed' ? new Error(message) : new LookalikeFault(code, message + estimate);
  }
}

async function endOf(thread: Worker): Promise<void> {
  const timer = setTimeout(() => void thread.terminate(), stopDeadlineMs);
  await new Promise(resolve => thread.once('exit', resolve));
  clearTimeout(timer);
}

/** A build of a million companies takes tens of minutes; one that takes this long hangs. */
const buildDeadlineMs = 3 * 3_600_000;

/**
 * Builds a model in its own thread and stores it in Postgres. If it is aborted, crashes or loses its connection, it
 * leaves only an unfinished model, which the next build removes.
 */
export function runBuild(
  settings: BuildSettings,
  { onProgress, signal }: { onProgress: (done: number) => void; signal: AbortSignal },
): Promise<BuildResult> {
  const { promise, resolve, reject } = Promise.withResolvers<BuildResult>();
  signal.throwIfAborted();
  const thread = new Worker(threadUrl('building-thread', import.meta.url), {
    workerData: settings,
    name: 'lookalike-build',
  });
  const end = (error: Error) => {
    reject(error);
    void thread.terminate();
  };
  const timer = setTimeout(
    () => end(new Error('Building the lookalike model took too long.')),
    buildDeadlineMs,
  );
  const abort = () => end(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  thread.on('message', (message: FromBuilding) => {
    if (message.kind === 'progress') {
      onProgress(message.done);
    } else {
      resolve(message.result);
    }
  });
  thread.on('error', error => reject(error as Error));
  thread.on('exit', code => reject(new Error(`Building the lookalike model failed with ${code}.`)));
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  });
}
