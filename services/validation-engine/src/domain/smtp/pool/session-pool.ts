import { type Clock, type Deadline, deadlineAfter, isOver } from '../../concurrency/deadline.ts';
import type { SmtpConnector } from '../connection.ts';
import { holdConversation, openSession } from '../conversation.ts';
import { createSession, type Session } from '../session.ts';
import { noSmtpEvents, type SmtpEvents } from '../smtp-events.ts';
import {
  createIdleSessions,
  createQueue,
  dismiss,
  forgetOldLessons,
  type HostQueue,
  idleMsAt,
  latestOf,
  outOfTime,
  patienceAt,
  sessionsMissing,
} from './host-queue.ts';
import { hasLearnedNothing } from './lessons.ts';
import { flightMax, openingTimeoutMs, strangersFlightMax } from './limits.ts';
import { putQuestions } from './put-questions.ts';
import type { RecipientAnswer, RecipientAsker, RecipientQuestion } from './recipient-asker.ts';
import { createPending } from './recipient-asker.ts';

export interface SessionPool extends RecipientAsker {
  /** Ends all sessions politely, after the answers in flight. */
  close(): Promise<void>;
}

interface SessionPoolOptions extends Identity {
  readonly connector: SmtpConnector;
  readonly clock: Clock;
  /** The most concurrent sessions with one host; the connector may allow fewer. */
  readonly sessionsPerHostMax: number;
  /** The most concurrent sessions with all hosts. */
  readonly sessionsMax: number;
  /** Whether the process has memory for more idle sessions than the minimum. */
  readonly hasRoom?: () => boolean;
  readonly events?: SmtpEvents;
}

/** The most hosts whose lessons are kept while no questions to them arrive. */
const hostsKeptMax = 2_000;
/**
 * A search for hosts to forget scans all of them, so with at most `hostsKeptMax` hosts it runs no more often than this.
 */
const forgetEveryMs = 1_000;

/**
 * Shares sessions between all callers that ask about recipients at the same host: questions wait in one queue per
 * network address, and each session takes one flight of them at a time (ADR 0016).
 */
export function createSessionPool(options: SessionPoolOptions): SessionPool {
  const { clock, sessionsPerHostMax, sessionsMax, hasRoom = () => true, events = noSmtpEvents } = options;
  const queues = new Map<string, HostQueue>();
  const serving = new Set<Promise<void>>();
  /** Queues that need a session while there are already `sessionsMax`. */
  const starved = new Set<HostQueue>();
  const idleSessions = createIdleSessions(clock, hasRoom);
  let isClosing = false;
  let forgotAtMs = clock.nowMs();

  function queueAt(address: string): HostQueue {
    const queue = queues.get(address) ?? createQueue(address, clock.nowMs());
    forgetOldLessons(queue, clock.nowMs());
    // The host asked last is forgotten last.
    queues.delete(address);
    queues.set(address, queue);
    return queue;
  }

  function ask(
    question: RecipientQuestion,
    deadline: Deadline,
    onSlow?: () => void,
  ): Promise<RecipientAnswer> {
    const queue = queueAt(question.address);
    return new Promise(resolve => {
      const pending = createPending(
        question,
        deadline,
        clock.nowMs(),
        (done, answer) => {
          dismiss(queue, done);
          resolve(answer);
        },
        late => outOfTime(queue, late),
        onSlow,
      );
      idleSessions.noteQuestion(queue);
      queue.waiting.add(pending);
      if (deadline.signal.aborted) {
        pending.settle(outOfTime(queue, pending));
      }
      if (queue.lessons.slowToConnect && queue.open === 0) {
        onSlow?.();
      }
      distribute(queue);
    });
  }

  /** Wakes and opens as many sessions as the waiting questions need. */
  function distribute(queue: HostQueue): void {
    clearTimeout(queue.patience);
    if (queue.waiting.size === 0) {
      return;
    }
    for (const wake of queue.idle.splice(0, Math.ceil(queue.waiting.size / flightMax))) {
      wake(true);
    }
    for (let missing = sessionsMissing(queue, clock, sessionsPerHostMax); missing > 0; missing -= 1) {
      begin(queue);
    }
    queue.patience = setTimeout(() => distribute(queue), patienceAt(queue));
  }

  function begin(queue: HostQueue): void {
    const [first] = queue.waiting;
    if (first === undefined) {
      return;
    }
    if (serving.size >= sessionsMax) {
      starved.add(queue);
      idleSessions.endOne();
      return;
    }
    const served = serve(queue, first.question).catch(error => {
      // An error of ours: no caller should wait because of it.
      const failed = Promise.reject(error);
      // Those who have left do not take it.
      failed.catch(() => undefined);
      for (const { settle } of [...queue.waiting, ...queue.inFlight]) {
        settle(failed);
      }
    });
    serving.add(served);
    void served.finally(() => {
      serving.delete(served);
      forgetHosts();
      const [next] = starved;
      if (next !== undefined) {
        starved.delete(next);
        distribute(next);
      }
    });
  }

  /** Runs one session from its opening to its end. */
  async function serve(queue: HostQueue, question: RecipientQuestion): Promise<void> {
    const { signal } = queue.abandonment;
    const sinceMs = clock.nowMs();
    queue.opening += 1;
    queue.openingSinceMs = sinceMs;
    const opened = await openAtHost(queue, question, signal, { ...options, events }).finally(() => {
      queue.opening -= 1;
    });
    if (opened.kind === 'failed') {
      // A question that arrived after the others had left is not affected.
      if (!signal.aborted) {
        refuse(queue, opened.answer);
      }
      distribute(queue);
      await opened.left;
      return;
    }
    queue.open += 1;
    queue.openedAtMs = clock.nowMs();
    queue.openingTookMs = queue.openedAtMs - sinceMs;
    const put = putQuestions(queue, opened.session, idleSessions, () => isClosing).finally(() => {
      queue.open -= 1;
    });
    // The first questions have been asked by now; the rest may need other sessions.
    distribute(queue);
    await put;
    distribute(queue);
    await opened.session.leave();
  }

  /** No session could be opened. That answers every question, unless another session may do better. */
  function refuse(queue: HostQueue, answer: RecipientAnswer): void {
    if (queue.open + queue.opening > 0) {
      queue.refusedAtMs = clock.nowMs();
      return;
    }
    for (const pending of queue.waiting) {
      // A question from an earlier session has a more precise answer than a session that began when time was up.
      const isLate = pending.opening.length > 0 && isOver(pending.deadline);
      pending.settle(isLate ? outOfTime(queue, pending) : answer);
    }
  }

  function forgetHosts(): void {
    if (queues.size <= hostsKeptMax && clock.nowMs() - forgotAtMs < forgetEveryMs) {
      return;
    }
    forgotAtMs = clock.nowMs();
    for (const [address, queue] of queues) {
      const isBusy = queue.waiting.size > 0 || queue.open + queue.opening > 0;
      const wasBusy = queue.idleSinceMs !== undefined && clock.nowMs() - queue.idleSinceMs < idleMsAt(queue);
      if (!isBusy && !wasBusy && (hasLearnedNothing(queue.lessons) || queues.size > hostsKeptMax)) {
        queues.delete(address);
      }
    }
  }

  return {
    ask,
    async close() {
      isClosing = true;
      for (const { idle } of queues.values()) {
        for (const wake of idle.splice(0)) {
          wake(false);
        }
      }
      // Questions that still wait may need further sessions.
      while (serving.size > 0) {
        await Promise.all(serving);
      }
    },
  };
}

/** How we identify ourselves to hosts. */
export interface Identity {
  readonly heloName: string | undefined;
  /** Sender of the transactions; empty for the null sender (RFC 5321 section 4.5.5). */
  readonly mailFrom: string;
}

type Opened =
  | { readonly kind: 'open'; readonly session: Session }
  /** The answer to all waiting questions; `left` resolves when the session at the host has ended. */
  | { readonly kind: 'failed'; readonly answer: RecipientAnswer; readonly left: Promise<void> };

/**
 * Opens a session at the address of a queue, for as long as any caller waits for it. If TLS is offered and fails, tries
 * again in clear text.
 *
 * @param question one of the waiting questions; it says whose host this is
 */
async function openAtHost(
  queue: HostQueue,
  question: RecipientQuestion,
  signal: AbortSignal,
  {
    connector,
    clock,
    events,
    heloName,
    mailFrom,
  }: Identity & { connector: SmtpConnector; clock: Clock; events: SmtpEvents },
): Promise<Opened> {
  const { lessons, address } = queue;
  const { provider, serverName } = question;
  const deadline = latestOf(() => queue.waiting, signal, deadlineAfter(clock, openingTimeoutMs, signal));
  for (;;) {
    let isSlow = false;
    const connected = await connector.connect(address, deadline, () => {
      isSlow = true;
      lessons.slowToConnect = true;
      for (const { onSlow } of queue.open === 0 ? queue.waiting : []) {
        onSlow?.();
      }
    });
    lessons.slowToConnect &&= isSlow || connected.kind === 'failure';
    if (connected.kind === 'failure') {
      events.sessionTried(provider, connected.failure);
      const answer = { kind: 'not_connected', failure: connected.failure } as const;
      return { kind: 'failed', answer, left: Promise.resolve() };
    }
    let greetedAtMs: number | undefined;
    const noteGreeting = () => {
      queue.ungreeted -= greetedAtMs === undefined ? 1 : 0;
      greetedAtMs ??= clock.nowMs();
    };
    queue.ungreeted += 1;
    const conversation = holdConversation(connected.connection, clock, ({ stage, outcome }) => {
      if (stage === 'greeting') {
        noteGreeting();
      }
      events.replyHeard(provider, stage, outcome);
    });
    const introduction = { heloName, provider, serverName, useTls: lessons.useTls };
    const opening = await openSession(conversation, introduction, deadline).finally(noteGreeting);
    events.sessionTried(provider, opening.kind === 'open' ? 'open' : 'refused');
    if (opening.kind === 'open') {
      const { refusalsMax, recipientsPerSessionMax, usePipelining } = lessons;
      // Many hosts delay the greeting on purpose, but not the replies.
      const replyMs = (clock.nowMs() - (greetedAtMs ?? 0)) / Math.max(1, opening.transcript.length - 1);
      const limits = {
        refusalsMax,
        recipientsMax: recipientsPerSessionMax,
        flightMax,
        firstFlightMax: lessons.replyMs === undefined ? strangersFlightMax : flightMax,
        usePipelining,
        replyMs: Math.max(replyMs, lessons.replyMs ?? 0),
      };
      return { kind: 'open', session: createSession(conversation, clock, opening, mailFrom, limits) };
    }
    const left = conversation.leave(deadline);
    // A handshake that ran out of time says nothing about the host.
    if (opening.stage !== 'starttls' || !lessons.useTls || isOver(deadline)) {
      const { transcript, ...ended } = opening;
      return { kind: 'failed', answer: { ...ended, opening: transcript, transcript: [] }, left };
    }
    await left;
    lessons.useTls = false;
  }
}
