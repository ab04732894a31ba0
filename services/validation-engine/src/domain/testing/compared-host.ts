import { jest } from '@jest/globals';
import { type AddressList, deadlineAfter } from '../concurrency/deadline.ts';
import { createComparisons } from '../smtp/comparison.ts';
import type { Finding } from '../smtp/conversation.ts';
import { createLocalComparisonMemory } from '../smtp/local-comparison-memory.ts';
import { keyedRandom, makeUpRecipients } from '../smtp/made-up-recipients.ts';
import type { RecipientAnswer, RecipientAsker } from '../smtp/pool/recipient-asker.ts';
import { probeRecipient } from '../smtp/probe-recipient.ts';
import type { Reply } from '../smtp/reply.ts';
import { decideByProbe } from '../verdict/decide.ts';
import { emailOf, jobDeadlineMs } from './fakes.ts';

const key = new TextEncoder().encode('a key');
export const roundTripMs = 50;
const lifetimeMs = 3_600_000;
const clock = { nowMs: () => Date.now() };
const madeUpFor = (localPart: string) =>
  makeUpRecipients(form => keyedRandom(key, `a.example ${form}`, 0), localPart);
export const alikeFor = (localPart: string) =>
  madeUpFor(localPart).flatMap(made => (made.shape === 'alike' ? [made.localPart] : []));
export const randomOne = madeUpFor('').findLast(({ shape }) => shape === 'random')?.localPart;

/** What a host says of a recipient, at one of its network addresses. */
export type Says = (localPart: string, address: string) => Finding;

/** A host in one endless session whose behavior the test may change, and the record of its questions. */
export function hostThat(says: Says) {
  const asked: string[] = [];
  const host: { says: Says; readonly asked: string[]; replies?: (localPart: string) => Reply } = {
    says,
    asked,
  };
  let turn = 0;
  let waiting: (() => void)[] = [];
  const asker: RecipientAsker = {
    ask({ localPart, domain, address }, deadline) {
      return new Promise<RecipientAnswer>(resolve => {
        const late = setTimeout(
          () => resolve({ kind: 'not_connected', failure: 'crowded_out' }),
          deadline.remainingMs(),
        );
        waiting.push(() => {
          clearTimeout(late);
          asked.push(localPart);
          turn += 1;
          const answer = {
            kind: 'answered' as const,
            finding: host.says(localPart, address),
            ...(host.replies && { reply: host.replies(localPart) }),
            first: true,
            inCompany: false,
            opening,
            turn,
            transcript: [
              {
                stage: 'rcpt' as const,
                command: `RCPT TO:<${localPart}@${domain}>`,
                outcome: { kind: 'failure' as const, failure: 'timeout' as const },
              },
            ],
          };
          setTimeout(() => resolve(answer), roundTripMs);
        });
        // Questions asked at the same moment share a flight, in which each is answered in order.
        if (waiting.length === 1) {
          queueMicrotask(() => {
            const flight = waiting;
            waiting = [];
            for (const put of flight) {
              put();
            }
          });
        }
      });
    },
  };
  const memory = createLocalComparisonMemory(clock);
  const comparisons = createComparisons(
    {
      asker,
      memory,
      clock,
      nowMs: clock.nowMs,
      onStoreFailed: error => {
        throw error;
      },
    },
    { conclusiveMs: lifetimeMs, inconclusiveMs: 0 },
  );
  /** @param within the time of a single validation, in milliseconds, or the list that the address comes from */
  async function verdictOn(localPart: string, within: number | AddressList = 20_000, address = '192.0.2.1') {
    const [timeMs, list] = typeof within === 'number' ? [within, undefined] : [jobDeadlineMs, within];
    const probe = await probeRecipient(
      { asker, comparisons, clock },
      {
        email: emailOf(`${localPart}@a.example`),
        madeUp: madeUpFor(localPart),
        host: 'mx.a.example',
        address,
        provider: undefined,
        oneRecipientPerTransaction: false,
      },
      deadlineAfter(clock, timeMs, new AbortController().signal, list),
    );
    if (probe.kind !== 'probed') {
      throw new Error('The host of this test always answers.');
    }
    const { result, reason } = decideByProbe(probe.result);
    return {
      verdict: `${result} ${reason}`,
      compared: probe.result.kind === 'answered' ? probe.result.madeUp : [],
      comparedMsAgo: probe.result.kind === 'answered' ? probe.result.comparedMsAgo : 0,
      shown: probe.transcript.map(({ command }) => /<(.*)@/.exec(command)?.[1]),
    };
  }
  return Object.assign(host, { verdictOn, memory });
}

const opening = [] as const;

/** Accepts the recipients whose local part begins with `here`. */
export const knows = (localPart: string) => (localPart.startsWith('here') ? 'accepted' : 'missing');
export const acceptsAll: Says = () => 'accepted';

/** Lets time pass until all promises have settled. */
export async function settled<Result>(...work: readonly Promise<Result>[]): Promise<Result[]> {
  const all = Promise.all(work);
  let isDone = false;
  void all.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await jest.advanceTimersByTimeAsync(roundTripMs / 2);
  }
  return all;
}
