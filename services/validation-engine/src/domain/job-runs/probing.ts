import { type AccountId, parseEmailAddress } from '@mailproof/shared-types';
import type { Answer, AnswerRequest } from '../answer-address.ts';
import { forEachRow } from '../for-each-row.ts';
import { askAgainAfterMs } from './ask-again.ts';
import { type BatchWriter, createBatchWriter } from './batch-writer.ts';
import type { JobRun } from './job-run.ts';
import type { JobAddresses, OpenAddress, OpenChunk } from './job-run-store.ts';

export interface ProbingPorts<Transaction> {
  readonly answer: (request: AnswerRequest) => Promise<Answer>;
  readonly addresses: JobAddresses<Transaction>;
  /** Gives a chunk its turn among the chunks of all accounts. */
  readonly inTurn: <Result>(accountId: AccountId, work: () => Promise<Result>) => Promise<Result>;
  /** Resolves when another address may begin. */
  readonly mayBegin: () => Promise<void>;
  /** Chunks that are asked at once; of those addresses, so many at once in each chunk. */
  readonly chunksAtOnceMax: number;
  readonly addressesAtOnceMax: number;
  /** Time for one answer, in milliseconds. */
  readonly deadlineMs: number;
  readonly now: () => Date;
}

/** The questions that one worker asks for one job. */
export interface Probing {
  /**
   * Begins with as many chunks as may be, and waits for the end of one, a moment at most. False where nothing is under
   * way and nothing could be begun.
   */
  advance(run: JobRun): Promise<boolean>;
  /** Begins nothing more, and waits for the answers that are under way. */
  finish(): Promise<void>;
  /** Breaks off; what is not answered yet stays open. */
  breakOff(): Promise<void>;
}

/** Often enough that a pause and a lost hold are noticed within seconds, in milliseconds. */
const lookUpMs = 1_000;

/**
 * Asks about the addresses of a job, chunk by chunk and several chunks at once. Two chunks that begin with the same mail
 * host follow one another, so that a host sees no more of us than its sessions take, and a slow one holds up its own
 * chunk alone.
 */
export function createProbing<Transaction>(ports: ProbingPorts<Transaction>): Probing {
  const chunksUnderWay = new Map<number, { readonly mailHost: string; readonly work: Promise<void> }>();
  const breaking = new AbortController();
  /** One for each question: what listens to the end of one must not be kept until the end of the job. */
  const asking = new Set<AbortController>();
  /** Chunks to begin with, by their hosts; whoever had its turn last comes last. */
  const lanes = new Map<string, number[]>();
  let isFinishing = false;
  let fault: { readonly error: unknown } | undefined;
  let writer: BatchWriter | undefined;

  async function lookForChunks(run: JobRun): Promise<void> {
    for (const { chunkNo, mailHost } of await ports.addresses.openChunks(run, ports.now())) {
      if (!chunksUnderWay.has(chunkNo)) {
        lanes.set(mailHost, [...(lanes.get(mailHost) ?? []), chunkNo]);
      }
    }
  }

  function nextChunk(): OpenChunk | undefined {
    const busy = new Set([...chunksUnderWay.values()].map(({ mailHost }) => mailHost));
    for (const [mailHost, chunkNos] of lanes) {
      const [chunkNo, ...others] = busy.has(mailHost) ? [] : chunkNos;
      if (chunkNo !== undefined) {
        lanes.delete(mailHost);
        if (others.length > 0) {
          lanes.set(mailHost, others);
        }
        return { chunkNo, mailHost };
      }
    }
    return undefined;
  }

  function begin(run: JobRun, { chunkNo, mailHost }: OpenChunk, batches: BatchWriter): void {
    const work = ports
      .inTurn(run.accountId, () => ask(run, chunkNo, batches))
      .catch((error: unknown) => {
        fault ??= { error };
      })
      .finally(() => chunksUnderWay.delete(chunkNo));
    chunksUnderWay.set(chunkNo, { mailHost, work });
  }

  async function ask(run: JobRun, chunkNo: number, batches: BatchWriter): Promise<void> {
    if (isFinishing) {
      return;
    }
    const open = await ports.addresses.openOf(run, chunkNo, ports.now());
    await forEachRow(open, ports.addressesAtOnceMax, breaking.signal, async address => {
      await ports.mayBegin();
      if (!isFinishing) {
        await askOne(run, address, batches);
      }
    });
    await batches.written();
  }

  async function askOne(run: JobRun, { addressNo, email, attempts }: OpenAddress, batches: BatchWriter) {
    const parsed = parseEmailAddress(email);
    if (!parsed.ok) {
      throw new Error(`Address ${addressNo} of job ${run.runId} was taken in, and is none.`);
    }
    const question = new AbortController();
    asking.add(question);
    const answer = await ports
      .answer({
        accountId: run.accountId,
        email: parsed.value,
        deadlineMs: ports.deadlineMs,
        signal: question.signal,
      })
      .finally(() => asking.delete(question));
    // One that was broken off says nothing of the address.
    if (!question.signal.aborted) {
      const waitMs = askAgainAfterMs(answer, attempts + 1);
      const outcome =
        waitMs === undefined
          ? ({ kind: 'done', verdict: answer.verdict } as const)
          : ({ kind: 'waiting', dueAt: new Date(ports.now().getTime() + waitMs) } as const);
      batches.add({ addressNo, outcome });
    }
  }

  async function untilQuiet(): Promise<void> {
    while (chunksUnderWay.size > 0) {
      await Promise.all([...chunksUnderWay.values()].map(({ work }) => work));
    }
  }

  return {
    async advance(run) {
      writer ??= createBatchWriter({
        write: asked => ports.addresses.record(run, asked.answers, asked.pace),
        now: ports.now,
      });
      if (lanes.size === 0) {
        await lookForChunks(run);
      }
      while (chunksUnderWay.size < ports.chunksAtOnceMax) {
        const chunk = nextChunk();
        if (!chunk) {
          break;
        }
        begin(run, chunk, writer);
      }
      if (chunksUnderWay.size === 0) {
        return false;
      }
      await firstOf(
        [...chunksUnderWay.values()].map(({ work }) => work),
        lookUpMs,
      );
      if (fault) {
        throw fault.error;
      }
      return true;
    },
    async finish() {
      isFinishing = true;
      await untilQuiet();
      if (fault) {
        throw fault.error;
      }
    },
    async breakOff() {
      isFinishing = true;
      breaking.abort();
      for (const question of asking) {
        question.abort();
      }
      await untilQuiet();
    },
  };
}

/** Waits for the first of several, for so long at most. */
async function firstOf(work: readonly Promise<void>[], msMax: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>(resolve => {
    timer = setTimeout(resolve, msMax);
  });
  await Promise.race([...work, timeout]);
  clearTimeout(timer);
}
