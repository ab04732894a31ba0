import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** The process that sends requests. */
export interface Generator {
  load(kinds: readonly LoadKind[], seconds: number, signal: AbortSignal): Promise<readonly LoadResult[]>;
  /** Changes the headers of a kind while it is being sent. */
  renew(kind: string, headers: Readonly<Record<string, string>>): void;
  stop(): Promise<void>;
}

/**
 * The generator shares the processors with the measured system, so it collects garbage rarely and with only one thread.
 */
const nodeOptions = ['--max-semi-space-size=16', '--v8-pool-size=1'];

export function startGenerator(): Generator {
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

/** A kind of request that is sent repeatedly, at random times. */
export interface LoadKind {
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A JSON body to post; without it, the request is a `GET`. */
  readonly body?: unknown;
  /** The average rate; requests are sent as a Poisson process. */
  readonly perSecond: number;
  /** Text that every correct 200 response must contain. */
  readonly shows: string;
}

/** An order to the generator. */
export type LoadOrder =
  | { readonly type: 'load'; readonly kinds: readonly LoadKind[]; readonly seconds: number }
  /** Replaces the headers of the same names from now on. */
  | { readonly type: 'headers'; readonly kind: string; readonly headers: Readonly<Record<string, string>> };

/** The results of one kind of request. Times are measured from the moment at which a request was due. */
export interface LoadResult {
  readonly name: string;
  /** How many requests were due; each was sent, unless `errors` counts it as not sent. */
  readonly due: number;
  readonly answered: number;
  /** Counts of errors by HTTP status, or by another error. */
  readonly errors: Readonly<Record<string, number>>;
  readonly p50Ms: number;
  readonly p90Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
  /** Only the requests that were due while the hypervisor stole no CPU time; absent if steal time is not measured. */
  readonly calm?: { readonly answered: number; readonly p99Ms: number };
}
