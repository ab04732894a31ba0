import { Worker } from 'node:worker_threads';
import { threadUrl } from '@mailproof/service-kit';
import type { BuildResult, BuildSettings, FromBuilding } from './thread-messages.ts';

/** A build of a million companies takes tens of minutes; one that takes longer hangs. */
const buildDeadlineMs = 3 * 3_600_000;

/**
 * Builds a model in a thread of its own and keeps it in Postgres. Where it is aborted, dies or loses its connection,
 * nothing but an unfinished model is left, which the next build removes.
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
  const timer = setTimeout(() => end(new Error('The build of lookalikes took too long.')), buildDeadlineMs);
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
  thread.on('exit', code => reject(new Error(`The build of lookalikes ended early, with ${code}.`)));
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  });
}
