import { type AccountId, type EmailAddress, parseEmailAddress } from '@mailproof/shared-types';
import type { AddressList } from '../concurrency/deadline.ts';
import { forEachRow } from '../concurrency/for-each-row.ts';
import type { Answer, AnswerRequest } from '../validation/answer-address.ts';
import { askAgainAfterMs, waitOf } from './ask-again.ts';
import { type BatchWriter, createBatchWriter } from './batch-writer.ts';
import type { JobRun } from './job-run.ts';
import type { JobAddresses, OpenAddress, OpenChunk } from './job-run-store.ts';

export interface ProbingPorts<Transaction> {
  readonly answer: (request: AnswerRequest) => Promise<Answer>;
  /**
   * Announces the addresses of a chunk to be validated for an account, so that they can be looked up together; returns a
   * function that ends this.
   */
  readonly expect: (emails: readonly EmailAddress[], accountId: AccountId) => () => void;
  readonly addresses: JobAddresses<Transaction>;
  /** Runs a chunk's work when its turn comes among the chunks of all accounts. */
  readonly inTurn: <Result>(accountId: AccountId, work: () => Promise<Result>) => Promise<Result>;
  /** Resolves when another address may start. */
  readonly mayBegin: () => Promise<void>;
  /** Limits on concurrent chunks, and on concurrent addresses in each chunk. */
  readonly chunksAtOnceMax: number;
  readonly addressesAtOnceMax: number;
  /** Time limit for one answer, in milliseconds. */
  readonly deadlineMs: number;
  readonly now: () => Date;
}

/** The probing that one worker does for one job. */
export interface Probing {
  /**
   * Starts as many chunks as allowed, and waits briefly for one of them to end. Returns false if nothing is running and
   * nothing can be started.
   */
  advance(run: JobRun): Promise<boolean>;
  /** Starts no more chunks, and waits for the answers in flight. */
  finish(): Promise<void>;
  /** Aborts; unanswered addresses stay open. */
  interrupt(): Promise<void>;
}

/** How often progress is checked, in milliseconds: a pause or a lost hold is noticed within seconds. */
const lookUpMs = 1_000;

/**
 * Probes the addresses of a job, chunk by chunk and several chunks at once. Two chunks that start with the same mail
 * host run one after the other. A host thus sees no more of us than its session limit allows, and a slow host delays
 * only its own chunk.
 */
export function createProbing<Transaction>(ports: ProbingPorts<Transaction>): Probing {
  const chunksInFlight = new Map<number, { readonly mailHost: string; readonly work: Promise<void> }>();
  const breaking = new AbortController();
  /** One controller per question: its abort listeners must not be kept until the end of the job. */
  const asking = new Set<AbortController>();
  /** Chunks waiting to start, by mail host, least recently served first. */
  const lanes = new Map<string, number[]>();
  let isFinishing = false;
  let fault: { readonly error: unknown } | undefined;
  let writer: BatchWriter | undefined;

  async function lookForChunks(run: JobRun): Promise<void> {
    for (const { chunkNo, mailHost } of await ports.addresses.openChunks(run, ports.now())) {
      if (!chunksInFlight.has(chunkNo)) {
        lanes.set(mailHost, [...(lanes.get(mailHost) ?? []), chunkNo]);
      }
    }
  }

  function nextChunk(): OpenChunk | undefined {
    const busy = new Set([...chunksInFlight.values()].map(({ mailHost }) => mailHost));
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
      .finally(() => chunksInFlight.delete(chunkNo));
    chunksInFlight.set(chunkNo, { mailHost, work });
  }

  async function ask(run: JobRun, chunkNo: number, batches: BatchWriter): Promise<void> {
    if (isFinishing) {
      return;
    }
    const open = await ports.addresses.openOf(run, chunkNo, ports.now());
    const parsed = open.map(address => ({ ...address, parsed: parseOf(run, address) }));
    const end = ports.expect(
      parsed.map(address => address.parsed),
      run.accountId,
    );
    const left = new Map<string, number>();
    const countDomain = (email: EmailAddress, count: number) =>
      left.set(email.domain.ascii, (left.get(email.domain.ascii) ?? 0) + count);
    for (const address of parsed) {
      countDomain(address.parsed, 1);
    }
    const list = { mayHaveMore: (domain: string) => (left.get(domain) ?? 0) > 0 };
    await forEachRow(parsed, ports.addressesAtOnceMax, breaking.signal, async address => {
      await ports.mayBegin();
      countDomain(address.parsed, -1);
      if (!isFinishing) {
        await askOne(run, address, list, batches);
      }
    }).finally(end);
    await batches.written();
  }

  async function askOne(
    run: JobRun,
    { addressNo, parsed, attempts }: ParsedAddress,
    list: AddressList,
    batches: BatchWriter,
  ) {
    const question = new AbortController();
    asking.add(question);
    const answer = await ports
      .answer({
        accountId: run.accountId,
        email: parsed,
        deadlineMs: ports.deadlineMs,
        signal: question.signal,
        list,
      })
      .finally(() => asking.delete(question));
    // An aborted question says nothing about the address.
    if (!question.signal.aborted) {
      const waitMs = askAgainAfterMs(answer, attempts + 1);
      const outcome =
        waitMs === undefined
          ? ({ kind: 'done', verdict: answer.verdict } as const)
          : ({
              kind: 'waiting',
              dueAt: new Date(ports.now().getTime() + waitMs),
              waitsFor: waitOf(answer.verdict.reason),
            } as const);
      batches.add({ addressNo, outcome });
    }
  }

  async function untilQuiet(): Promise<void> {
    while (chunksInFlight.size > 0) {
      await Promise.all([...chunksInFlight.values()].map(({ work }) => work));
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
      while (chunksInFlight.size < ports.chunksAtOnceMax) {
        const chunk = nextChunk();
        if (!chunk) {
          break;
        }
        begin(run, chunk, writer);
      }
      if (chunksInFlight.size === 0) {
        return false;
      }
      await firstOf(
        [...chunksInFlight.values()].map(({ work }) => work),
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
    async interrupt() {
      isFinishing = true;
      breaking.abort();
      for (const question of asking) {
        question.abort();
      }
      await untilQuiet();
    },
  };
}

type ParsedAddress = OpenAddress & { readonly parsed: EmailAddress };

function parseOf({ runId }: JobRun, { addressNo, email }: OpenAddress): EmailAddress {
  const parsed = parseEmailAddress(email);
  if (!parsed.ok) {
    throw new Error(`Address ${addressNo} of job ${runId} is not an email address.`);
  }
  return parsed.value;
}

/** Waits until the first of several promises settles, or until the time limit. */
async function firstOf(work: readonly Promise<void>[], msMax: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>(resolve => {
    timer = setTimeout(resolve, msMax);
  });
  await Promise.race([...work, timeout]);
  clearTimeout(timer);
}
