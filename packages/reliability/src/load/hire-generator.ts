import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { LoadKind, LoadOrder, LoadResult } from './messages.ts';

/** The process that sends requests. */
export interface Generator {
  load(kinds: readonly LoadKind[], seconds: number, signal: AbortSignal): Promise<readonly LoadResult[]>;
  /** Gives a kind other headers, while it is sent. */
  renew(kind: string, headers: Readonly<Record<string, string>>): void;
  stop(): Promise<void>;
}

/** It shares the processors with what it measures: it collects garbage seldom, and with no more than one thread. */
const nodeOptions = ['--max-semi-space-size=16', '--v8-pool-size=1'];

export function hireGenerator(): Generator {
  const child = fork(join(import.meta.dirname, 'generator.ts'), { execArgv: nodeOptions, detached: true });
  const tell = (order: LoadOrder) => child.send(order);
  const early = new AbortController();
  child.once('exit', () => early.abort(new Error('The generator ended early.')));
  return {
    async load(kinds, seconds, signal) {
      tell({ type: 'load', kinds, seconds });
      const [results] = (await once(child, 'message', {
        signal: AbortSignal.any([signal, early.signal]),
      })) as [readonly LoadResult[]];
      return results;
    },
    renew: (kind, headers) => void tell({ type: 'headers', kind, headers }),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}
