import { type Clock, type Deadline, isOver } from '../../deadline.ts';
import type { SmtpConnector } from '../connection.ts';
import { noSmtpEvents, type SmtpEvents } from '../smtp-events.ts';
import {
  createQueue,
  dismiss,
  forgetOldLessons,
  type HostQueue,
  outOfTime,
  sessionsMissing,
} from './host-queue.ts';
import { createIdleSessions } from './idle-sessions.ts';
import { hasLearnedNothing } from './lessons.ts';
import { flightMax, idleMs, patienceMs } from './limits.ts';
import { type Identity, openAtHost } from './open-at-host.ts';
import { createPending } from './pending.ts';
import { putQuestions } from './put-questions.ts';
import type { RecipientAnswer, RecipientAsker, RecipientQuestion } from './recipient-asker.ts';

export interface SessionPool extends RecipientAsker {
  /** Ends all sessions politely, once what is under way has been answered. */
  close(): Promise<void>;
}

export interface SessionPoolOptions extends Identity {
  readonly connector: SmtpConnector;
  readonly clock: Clock;
  /** Sessions with one host at once; the connector may allow fewer. */
  readonly sessionsPerHostMax: number;
  /** Sessions at once in all. */
  readonly sessionsMax: number;
  /** Whether the process has memory for more idle sessions than it must have. */
  readonly hasRoom?: () => boolean;
  readonly events?: SmtpEvents;
}

/** Hosts whose lessons are kept while nobody asks there. */
const hostsKeptMax = 2_000;

/**
 * Shares sessions between all who ask about recipients at the same host: questions wait in a queue for each network
 * address, and each session takes as many of them at a time as go into one flight (ADR 0016).
 */
export function createSessionPool(options: SessionPoolOptions): SessionPool {
  const { clock, sessionsPerHostMax, sessionsMax, hasRoom = () => true, events = noSmtpEvents } = options;
  const queues = new Map<string, HostQueue>();
  const serving = new Set<Promise<void>>();
  /** Queues that need a session while there are as many as may be. */
  const starved = new Set<HostQueue>();
  const idleSessions = createIdleSessions(clock, hasRoom);
  let isClosing = false;

  function queueAt(address: string): HostQueue {
    const queue = queues.get(address) ?? createQueue(address, clock.nowMs());
    forgetOldLessons(queue, clock.nowMs());
    // Asked about last, forgotten last.
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
    queue.patience = setTimeout(() => distribute(queue), patienceMs);
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
      // A fault of ours: nobody should wait for its consequences.
      for (const { settle } of [...queue.waiting, ...queue.inFlight]) {
        settle(Promise.reject(error));
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

  /** The life of one session. */
  async function serve(queue: HostQueue, question: RecipientQuestion): Promise<void> {
    const { signal } = queue.abandonment;
    queue.opening += 1;
    queue.openingSinceMs = clock.nowMs();
    const opened = await openAtHost(queue, question, signal, { ...options, events });
    queue.opening -= 1;
    if (opened.kind === 'failed') {
      // Whoever came after the others had left was not meant.
      if (!signal.aborted) {
        refuse(queue, opened.answer);
      }
      distribute(queue);
      await opened.left;
      return;
    }
    queue.open += 1;
    const put = putQuestions(queue, opened.session, idleSessions, () => isClosing);
    // The first ones have been put by now; what is left over may need other sessions.
    distribute(queue);
    await put;
    queue.open -= 1;
    distribute(queue);
    await opened.session.leave();
  }

  /** No session could be opened. That is everybody's answer, unless another session may do better. */
  function refuse(queue: HostQueue, answer: RecipientAnswer): void {
    if (queue.open + queue.opening > 0) {
      queue.refusedAtMs = clock.nowMs();
      return;
    }
    for (const pending of queue.waiting) {
      // Who was in a session before knows more than one that began when time was up.
      const isLate = pending.opening.length > 0 && isOver(pending.deadline);
      pending.settle(isLate ? outOfTime(queue, pending) : answer);
    }
  }

  function forgetHosts(): void {
    for (const [address, queue] of queues) {
      const isBusy = queue.waiting.size > 0 || queue.open + queue.opening > 0;
      const wasBusy = queue.idleSinceMs !== undefined && clock.nowMs() - queue.idleSinceMs < idleMs;
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
      // Whoever still waits may need further sessions.
      while (serving.size > 0) {
        await Promise.all(serving);
      }
    },
  };
}
