import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ExpectedVerdict } from '@mailproof/mail-lab';
import { makeAddressList } from '../bench/address-list.ts';
import { bounds } from '../bench/judge.ts';
import { deadlineAfter } from '../src/domain/concurrency/deadline.ts';
import { createComparisons, type RememberedComparison } from '../src/domain/smtp/comparison.ts';
import type { SmtpConnection, SmtpOutcome } from '../src/domain/smtp/connection.ts';
import { keyedRandom, makeUpRecipients } from '../src/domain/smtp/made-up-recipients.ts';
import { createSessionPool } from '../src/domain/smtp/pool/session-pool.ts';
import { probeRecipient } from '../src/domain/smtp/probe-recipient.ts';
import { readReply } from '../src/domain/smtp/reply.ts';
import { emailOf, jobDeadlineMs, shuffledList } from '../src/domain/testing/fakes.ts';

const inFlightMax = 1_000;
const clock = { nowMs: () => Date.now() };
const key = new TextEncoder().encode('a key');

/** Postfix's replies by command. The words tell which command a reply belongs to. */
const wordsOf: Readonly<Record<string, readonly string[]>> = {
  EHLO: ['mx.test', 'PIPELINING', 'STARTTLS'],
  STAR: ['2.0.0 Ready'],
  MAIL: ['2.1.0 Ok'],
  RCPT: ['2.1.5 Ok'],
};

/** Creates hosts whose answers take a round trip by Jest's clock, so that a busy machine does not affect the counts. */
function createScriptedHosts(list: readonly ExpectedVerdict[], roundTripMs: number) {
  const results = new Map(list.map(({ address, result }) => [address, result]));
  const catchAllDomains = new Set(
    list.filter(({ result }) => result === 'catch_all').map(({ address }) => domainOf(address)),
  );
  const counts = { connections: 0, roundTrips: 0 };

  function replyTo(command: string): SmtpOutcome {
    const recipient = /^RCPT TO:<(.+)>/.exec(command)?.[1];
    const isKnown =
      recipient === undefined || catchAllDomains.has(domainOf(recipient)) || results.get(recipient) === 'ok';
    const words = wordsOf[command.slice(0, 4)] ?? ['2.0.0 Ok'];
    return {
      kind: 'reply',
      reply: isKnown
        ? readReply(command === 'STARTTLS' ? 220 : 250, words)
        : readReply(550, ['5.1.1 User unknown']),
    };
  }

  function connect(): SmtpConnection {
    counts.connections += 1;
    counts.roundTrips += 1;
    const replies: SmtpOutcome[] = [{ kind: 'reply', reply: readReply(220, ['mx.test ESMTP']) }];
    let arrivesAtMs = clock.nowMs() + 2 * roundTripMs;
    return {
      localLiteral: '[192.0.2.9]',
      send(commands) {
        if (commands.length > 0) {
          counts.roundTrips += 1;
          replies.push(...commands.map(replyTo));
          arrivesAtMs = clock.nowMs() + roundTripMs;
        }
        return undefined;
      },
      async listen() {
        const waitMs = arrivesAtMs - clock.nowMs();
        if (waitMs > 0) {
          await new Promise(resolve => setTimeout(resolve, waitMs));
        }
        return replies.shift() ?? { kind: 'failure', failure: 'closed' };
      },
      async startTls() {
        counts.roundTrips += 1;
        await new Promise(resolve => setTimeout(resolve, roundTripMs));
        return undefined;
      },
      close: () => undefined,
    };
  }

  return {
    counts,
    connector: { connect: async () => ({ kind: 'connected' as const, connection: connect() }) },
  };
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}

/** Asks about a whole list, a limited number of addresses at a time, and returns the cost for its hosts. */
async function probeAll(list: readonly ExpectedVerdict[], roundTripMs: number) {
  const { counts, connector } = createScriptedHosts(list, roundTripMs);
  const identity = { heloName: 'probe.checker.example', mailFrom: '' };
  const asker = createSessionPool({
    connector,
    clock,
    ...identity,
    sessionsPerHostMax: 5,
    sessionsMax: 2_000,
  });
  const remembered = new Map<string, RememberedComparison>();
  const memory = {
    recall: async (domain: string) => remembered.get(domain),
    remember: async (domain: string, _host: string, comparison: RememberedComparison) => {
      remembered.set(domain, comparison);
    },
    forget: async (domain: string) => void remembered.delete(domain),
  };
  const onStoreFailed = (error: unknown) => {
    throw error;
  };
  const comparisons = createComparisons(
    { asker, memory, clock, nowMs: clock.nowMs, onStoreFailed },
    { conclusiveMs: 3_600_000, inconclusiveMs: 60_000 },
  );
  const signal = new AbortController().signal;
  const waiting = list[Symbol.iterator]();
  let answered = 0;

  async function work(): Promise<void> {
    for (const { address } of waiting) {
      const domain = domainOf(address);
      const plan = {
        email: emailOf(address),
        madeUp: makeUpRecipients(
          form => keyedRandom(key, `${domain} ${form}`, 0),
          address.slice(0, address.lastIndexOf('@')),
        ),
        host: `mx.${domain}`,
        address: domain,
        provider: undefined,
        oneRecipientPerTransaction: false,
      };
      const probe = await probeRecipient(
        { asker, comparisons, clock },
        plan,
        deadlineAfter(clock, jobDeadlineMs, signal, shuffledList),
      );
      answered += probe.kind === 'probed' && probe.result.kind === 'answered' ? 1 : 0;
    }
  }

  const done = Promise.all(Array.from({ length: inFlightMax }, work)).then(() => asker.close());
  let isDone = false;
  void done.then(() => {
    isDone = true;
  });
  while (!isDone) {
    await jest.advanceTimersByTimeAsync(roundTripMs / 10);
  }
  await done;
  return { ...counts, answered };
}

describe('what a list costs the hosts of its addresses', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it.each([50, 200])(
    'stays within the bounds of the benchmark at %i ms of round-trip time',
    async roundTripMs => {
      const list = makeAddressList({ domains: 500, addresses: 10_000, seed: 1 });
      const { answered, connections, roundTrips } = await probeAll(list, roundTripMs);
      expect(answered).toBe(list.length);
      expect(roundTrips / list.length).toBeLessThanOrEqual(bounds.roundTripsPerAddressMax);
      expect(connections / list.length).toBeLessThanOrEqual(bounds.connectionsPerAddressMax);
    },
  );
});
