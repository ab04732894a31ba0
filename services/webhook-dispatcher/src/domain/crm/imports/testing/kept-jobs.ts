import type { ValidationJobId, ValidationJobState } from '@mailproof/shared-types';
import { type ImportedJob, RowsRefused, type StartOutcome, type ValidationJobs } from '../import-ports.ts';

/** A job as the engine stores it. */
export interface KeptJob {
  state: ValidationJobState;
  isInterrupted: boolean;
  header: readonly string[];
  readonly rows: string[][];
  readonly addressColumn: number;
  validated: number;
}

/** Validation jobs in memory, which accept rows by the engine's protocol. */
export interface KeptJobs extends ValidationJobs {
  readonly jobs: Map<ValidationJobId, KeptJob>;
  /** Called before every call. */
  fails: (call: 'take' | 'find' | 'start' | 'stop') => Error | undefined;
  refuses: () => RowsRefused | undefined;
  starts: (job: KeptJob, creditsMax: number) => StartOutcome;
  /** Called for every line, which is accepted once the promise resolves. */
  taken: (lines: number) => Promise<void>;
}

export function createKeptJobs(): KeptJobs {
  const jobs = new Map<ValidationJobId, KeptJob>();
  const decoder = new TextDecoder();

  const kept: KeptJobs = {
    jobs,
    fails: () => undefined,
    refuses: () => undefined,
    taken: async () => undefined,
    starts(job, creditsMax) {
      if (addressesOf(job) > creditsMax) {
        return 'price_above_limit';
      }
      job.state = 'running';
      return 'started';
    },
    async take({ jobId, addressColumn, replaces, lines }, signal) {
      note('take');
      const earlier = replaces === null ? undefined : jobs.get(replaces);
      if (replaces !== null && (earlier?.state === 'receiving' || earlier?.isInterrupted)) {
        jobs.delete(replaces);
      }
      const refusal = kept.refuses();
      if (refusal) {
        throw refusal;
      }
      if (jobs.has(jobId)) {
        throw new Error('There is a job of this id.');
      }
      const job: KeptJob = {
        state: 'receiving',
        isInterrupted: false,
        header: [],
        rows: [],
        addressColumn,
        validated: 0,
      };
      jobs.set(jobId, job);
      let ended = false;
      let count = 0;
      try {
        for await (const octets of lines) {
          signal.throwIfAborted();
          const text = decoder.decode(octets);
          count += 1;
          await kept.taken(count);
          if (!text.endsWith('\n') || text.slice(0, -1).includes('\n') || ended) {
            throw new Error('A line of its own was expected.');
          }
          if (text === '\n') {
            continue;
          }
          const line: unknown = JSON.parse(text);
          if (line === 'end') {
            ended = true;
          } else if (job.header.length === 0) {
            job.header = line as string[];
          } else {
            job.rows.push(line as string[]);
          }
        }
        if (!ended) {
          throw new Error('The rows broke off.');
        }
      } catch (error) {
        job.state = 'failed';
        job.isInterrupted = true;
        throw error;
      }
      if (!jobs.has(jobId)) {
        throw new Error('The job was given up.');
      }
      if (addressesOf(job) === 0) {
        jobs.delete(jobId);
        throw new RowsRefused('no_addresses_found');
      }
      job.state = 'ready';
      return viewOf(jobId, job);
    },
    async find(_accountId, jobId) {
      note('find');
      const job = jobs.get(jobId);
      return job && viewOf(jobId, job);
    },
    async start(_accountId, jobId, { creditsMax }) {
      note('start');
      const job = jobs.get(jobId);
      if (!job) {
        return 'gone';
      }
      return job.state === 'ready' ? kept.starts(job, creditsMax) : 'started';
    },
    async stop(_accountId, jobId) {
      note('stop');
      const job = jobs.get(jobId);
      if (job?.state === 'receiving' || job?.isInterrupted) {
        jobs.delete(jobId);
      } else if (job?.state === 'running') {
        job.state = 'cancelled';
      }
    },
  };

  function note(call: Parameters<KeptJobs['fails']>[0]): void {
    const error = kept.fails(call);
    if (error) {
      throw error;
    }
  }

  return kept;
}

function addressesOf({ rows, addressColumn }: KeptJob): number {
  return new Set(rows.map(row => row[addressColumn] ?? '').filter(cell => cell.includes('@'))).size;
}

function viewOf(jobId: ValidationJobId, job: KeptJob): ImportedJob {
  const addresses = addressesOf(job);
  return {
    jobId,
    state: job.state,
    isInterrupted: job.isInterrupted,
    rows: job.rows.length,
    addresses,
    costMax: addresses,
    validated: job.validated,
    secondsLeft: null,
  };
}
