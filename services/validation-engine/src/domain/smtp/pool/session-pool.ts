import { type Clock, type Deadline, deadlineAfter } from '../../deadline.ts';
import type { SmtpConnector } from '../connection.ts';
import { holdConversation } from '../conversation.ts';
import { type Finding, openSession } from '../open-session.ts';
import { createSession, type Session } from '../session.ts';
import { type Heard, rcptLine } from '../transaction.ts';
import type { Exchange } from '../transcript.ts';
import { type HostQueue, type Lessons, type Pending, takeFlight } from './host-queue.ts';
import { type Circumstances, judgeHeard, learn } from './judge-heard.ts';
import type { RecipientAnswer, RecipientAsker, RecipientQuestion } from './recipient-asker.ts';

export interface SessionPool extends RecipientAsker {
  /** Ends all sessions politely, once what is under way has been answered. */
  close(): Promise<void>;
}

/** What we say of ourselves to hosts. */
export interface Identity {
  readonly heloName: string | undefined;
  /** Sender of the transactions; empty for the null sender (RFC 5321 section 4.5.5). */
  readonly mailFrom: string;
}

export interface SessionPoolOptions extends Identity {
  readonly connector: SmtpConnector;
  readonly clock: Clock;
  /** Sessions with one host at once; the connector may allow fewer. */
  readonly sessionsPerHostMax: number;
  /** Sessions at once in all. */
  readonly sessionsMax: number;
}

/** Recipients in one flight and, where their domain is the same, in one transaction. */
const flightMax = 10;
const refusalsMax = 10;
const recipientsPerSessionMax = 100;
/** How long a session waits for further questions; as long as Postfix keeps its own connections for reuse. */
const idleMs = 2_000;
/** Questions that wait longer for a busy session get another one. */
const patienceMs = 1_000;
const openingTimeoutMs = 60_000;
/** The session's own account of a deadline that has passed tells more, so it gets a moment to come in. */
const graceMs = 50;
const lessonsKeptMax = 2_000;

/**
 * Shares sessions between all who ask about recipients at the same host: questions wait in a queue for each network
 * address, and each session takes as many of them at a time as go into one flight (ADR 0016).
 */
export function createSessionPool(options: SessionPoolOptions): SessionPool {
  const { connector, clock, sessionsPerHostMax, sessionsMax } = options;
  const queues = new Map<string, HostQueue>();
  const serving = new Set<Promise<void>>();
  /** Queues that need a session while there are as many as may be. */
  const starved = new Set<HostQueue>();
  let isClosing = false;

  function queueAt(address: string): HostQueue {
    const queue = queues.get(address) ?? createQueue(address);
    // Asked about last, forgotten last.
    queues.delete(address);
    queues.set(address, queue);
    return queue;
  }

  function ask(question: RecipientQuestion, deadline: Deadline): Promise<RecipientAnswer> {
    return new Promise(resolve => {
      const queue = queueAt(question.address);
      const pending: Pending = {
        question,
        deadline,
        sinceMs: clock.nowMs(),
        alone: question.alone,
        fresh: false,
        tries: 0,
        doubted: undefined,
        opening: [],
        said: [],
        isSettled: false,
        settle(answer) {
          if (!pending.isSettled) {
            pending.isSettled = true;
            clearTimeout(timer);
            deadline.signal.removeEventListener('abort', expire);
            queue.waiting = queue.waiting.filter(other => other !== pending);
            abandonIfUnwanted(queue);
            resolve(answer);
          }
        },
      };
      const expire = () => pending.settle(outOfTime(queue, pending));
      const timer = setTimeout(expire, deadline.remainingMs() + graceMs);
      deadline.signal.addEventListener('abort', expire, { once: true });
      queue.waiting.push(pending);
      if (deadline.signal.aborted) {
        expire();
      }
      distribute(queue);
    });
  }

  /** Wakes and opens as many sessions as the waiting questions need. */
  function distribute(queue: HostQueue): void {
    clearTimeout(queue.patience);
    if (queue.waiting.length === 0) {
      return;
    }
    for (const wake of queue.idle.splice(0, Math.ceil(queue.waiting.length / flightMax))) {
      wake(true);
    }
    for (let missing = sessionsMissing(queue); missing > 0; missing -= 1) {
      begin(queue);
    }
    queue.patience = setTimeout(() => distribute(queue), patienceMs);
  }

  function sessionsMissing(queue: HostQueue): number {
    // The first one shows whether the host lets us in at all.
    if (queue.open === 0) {
      return queue.opening === 0 ? 1 : 0;
    }
    const sessions = queue.open + queue.opening;
    const places = Math.max(0, sessionsPerHostMax - sessions);
    const unserved = queue.waiting.length - sessions * flightMax;
    const isStuck =
      queue.opening === 0 &&
      queue.waiting.some(({ fresh, sinceMs }) => fresh || clock.nowMs() - sinceMs >= patienceMs);
    return Math.min(places, Math.max(Math.ceil(unserved / flightMax), isStuck ? 1 : 0));
  }

  function begin(queue: HostQueue): void {
    if (serving.size >= sessionsMax) {
      starved.add(queue);
      // Whoever has nothing to do makes room.
      [...queues.values()].find(({ idle }) => idle.length > 0)?.idle.shift()?.(false);
      return;
    }
    const question = queue.waiting[0]?.question;
    if (question === undefined) {
      return;
    }
    queue.opening += 1;
    const served = serve(queue, question).catch(error => {
      // A fault of ours: nobody should wait for its consequences.
      for (const { settle } of [...queue.waiting, ...queue.inFlight]) {
        settle(Promise.reject(error));
      }
    });
    serving.add(served);
    void served.finally(() => {
      serving.delete(served);
      forgetIfDone(queue);
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
    const opened = await open(queue, question, signal);
    queue.opening -= 1;
    if (opened.kind === 'failed') {
      // Another session may yet do better, and whoever came after the others had left was not meant.
      if (queue.open + queue.opening === 0 && !signal.aborted) {
        for (const { settle } of queue.waiting) {
          settle(opened.answer);
        }
      }
      distribute(queue);
      await opened.left;
      return;
    }
    const { session } = opened;
    queue.open += 1;
    const worked = work(queue, session);
    // It has taken its first questions by now; what is left over may need others.
    distribute(queue);
    await worked;
    queue.open -= 1;
    distribute(queue);
    await session.leave();
  }

  /** Puts questions until the session or the questions have come to an end. */
  async function work(queue: HostQueue, session: Session): Promise<void> {
    let forthcoming = false;
    for (let room = session.room(); room > 0; room = session.room()) {
      const flight = takeFlight(queue, session, room);
      if (flight.length > 0) {
        forthcoming = (await fly(queue, session, flight, forthcoming)) || forthcoming;
      } else if (isClosing || queue.waiting.length > 0 || !(await workComes(queue))) {
        // What is waiting still wants a fresh session.
        return;
      }
    }
  }

  /** Asks about all recipients of a flight. True when the host knew about one of them. */
  async function fly(
    queue: HostQueue,
    session: Session,
    flight: readonly (readonly Pending[])[],
    wasForthcoming: boolean,
  ): Promise<boolean> {
    const askable = flight
      .map(transaction => transaction.filter(pending => isAskable(pending, session)))
      .filter(transaction => transaction.length > 0);
    if (askable.length === 0) {
      return false;
    }
    const all = askable.flat();
    for (const pending of all) {
      pending.tries += 1;
      pending.opening = session.opening;
      queue.inFlight.add(pending);
    }
    const isFresh = session.asked() === 0;
    const deadline = latestOf(() => all, queue.abandonment.signal);
    const heard = await session.ask(
      askable.map(transaction => transaction.map(({ question }) => question)),
      deadline,
    );
    let forthcoming = wasForthcoming;
    for (const [number, transaction] of askable.entries()) {
      const answers = heard[number] ?? [];
      for (const [position, pending] of transaction.entries()) {
        const answer = answers[position] ?? { kind: 'unreached' };
        forthcoming ||= answer.kind === 'answered' && knowing.has(answer.finding);
        conclude(queue, session, pending, answer, {
          firstTransaction: isFresh && number === 0,
          firstOfTransaction: findingOf(answers[0]),
          refusals: session.refusals(),
          forthcoming,
        });
      }
    }
    return forthcoming;
  }

  /** Believes what was heard about a recipient, or arranges for it to be asked about again. */
  function conclude(
    queue: HostQueue,
    session: Session,
    pending: Pending,
    heard: Heard,
    circumstances: Circumstances,
  ): void {
    queue.inFlight.delete(pending);
    learn(queue.lessons, heard, pending, circumstances);
    if (pending.isSettled) {
      return;
    }
    const judgement = judgeHeard(heard, pending, circumstances, queue.lessons);
    if (heard.kind !== 'unreached') {
      pending.said.push(...heard.transcript);
    }
    if (judgement !== 'final') {
      pending.alone ||= judgement === 'again_alone';
      pending.fresh = judgement === 'again_fresh';
      pending.doubted = judgement === 'again_alone' ? findingOf(heard) : undefined;
      queue.waiting.unshift(pending);
      return;
    }
    const told = { opening: session.opening, transcript: pending.said };
    if (heard.kind === 'unreached') {
      pending.settle({ kind: 'ended', stage: 'rcpt', finding: 'closed', ...told });
    } else if (heard.kind === 'answered') {
      const first = heard.first || queue.lessons.confirmed.has(heard.finding);
      pending.settle({ ...heard, first, finding: inTheClear(queue, heard.finding), ...told });
    } else {
      pending.settle({ ...heard, finding: inTheClear(queue, heard.finding), ...told });
    }
  }

  async function open(queue: HostQueue, question: RecipientQuestion, signal: AbortSignal): Promise<Opened> {
    const fallback = deadlineAfter(clock, openingTimeoutMs, signal);
    const deadline = latestOf(() => queue.waiting, signal, fallback);
    for (;;) {
      const connected = await connector.connect(queue.address, deadline);
      if (connected.kind === 'failure') {
        const answer = { kind: 'not_connected', failure: connected.failure } as const;
        return { kind: 'failed', answer, left: Promise.resolve() };
      }
      const conversation = holdConversation(connected.connection, clock);
      const introduction = {
        heloName: options.heloName,
        provider: question.provider,
        serverName: question.serverName,
        useTls: queue.lessons.useTls,
      };
      const opening = await openSession(conversation, introduction, deadline);
      if (opening.kind === 'open') {
        const limits = {
          refusalsMax: queue.lessons.refusalsMax,
          recipientsMax: recipientsPerSessionMax,
          flightMax,
        };
        return {
          kind: 'open',
          session: createSession(conversation, clock, opening, options.mailFrom, limits),
        };
      }
      const left = conversation.leave(deadline);
      if (opening.stage !== 'starttls' || !queue.lessons.useTls || signal.aborted) {
        const { transcript, ...ended } = opening;
        return { kind: 'failed', answer: { ...ended, opening: transcript, transcript: [] }, left };
      }
      await left;
      queue.lessons.useTls = false;
    }
  }

  function workComes(queue: HostQueue): Promise<boolean> {
    return new Promise(resolve => {
      const settle = (hasWork: boolean) => {
        clearTimeout(timer);
        remove(queue.idle, settle);
        resolve(hasWork);
      };
      const timer = setTimeout(() => settle(false), idleMs);
      queue.idle.push(settle);
    });
  }

  function forgetIfDone(queue: HostQueue): void {
    const isBusy = queue.waiting.length > 0 || queue.open + queue.opening > 0;
    if (!isBusy && (queues.size > lessonsKeptMax || hasLearnedNothing(queue.lessons))) {
      clearTimeout(queue.patience);
      queues.delete(queue.address);
    }
  }

  return {
    ask,
    async close() {
      isClosing = true;
      for (const queue of queues.values()) {
        for (const wake of queue.idle.splice(0)) {
          wake(false);
        }
      }
      await Promise.all(serving);
    },
  };
}

type Opened =
  | { readonly kind: 'open'; readonly session: Session }
  | { readonly kind: 'failed'; readonly answer: RecipientAnswer; readonly left: Promise<void> };

/** What shows that a host looks recipients up. */
const knowing: ReadonlySet<Finding> = new Set(['accepted', 'missing', 'disabled', 'full']);

function createQueue(address: string): HostQueue {
  return {
    address,
    waiting: [],
    inFlight: new Set(),
    lessons: newLessons(),
    opening: 0,
    open: 0,
    idle: [],
    abandonment: new AbortController(),
    patience: undefined,
  };
}

function newLessons(): Lessons {
  return { refusalsMax, recipientsMax: flightMax, useTls: true, doubtBlocks: true, confirmed: new Set() };
}

function hasLearnedNothing(lessons: Lessons): boolean {
  return (
    lessons.refusalsMax === refusalsMax &&
    lessons.recipientsMax === flightMax &&
    lessons.useTls &&
    lessons.doubtBlocks &&
    lessons.confirmed.size === 0
  );
}

/** Ends the work at a host for which nobody waits any more. */
function abandonIfUnwanted(queue: HostQueue): void {
  const isWorking = queue.opening > 0 || queue.inFlight.size > 0;
  if (isWorking && queue.waiting.length === 0 && [...queue.inFlight].every(({ isSettled }) => isSettled)) {
    queue.abandonment.abort();
    queue.abandonment = new AbortController();
  }
}

/** As long as any of those who wait has time; where nobody waits just now, as long as the other deadline has. */
function latestOf(pendings: () => readonly Pending[], signal: AbortSignal, otherwise?: Deadline): Deadline {
  return {
    signal,
    remainingMs() {
      if (signal.aborted) {
        return 0;
      }
      const all = pendings();
      return all.length === 0
        ? (otherwise?.remainingMs() ?? 0)
        : Math.max(...all.map(({ deadline }) => deadline.remainingMs()));
    },
  };
}

/** A recipient that cannot be asked about in this session has its answer already. */
function isAskable({ question, settle }: Pending, { extensions, opening }: Session): boolean {
  const isAble = !question.international || extensions.has('SMTPUTF8');
  if (!isAble) {
    settle({ kind: 'smtputf8_unsupported', opening, transcript: [] });
  }
  return isAble;
}

function outOfTime(queue: HostQueue, pending: Pending): RecipientAnswer {
  if (queue.inFlight.has(pending)) {
    const { opening, said, question } = pending;
    const asked: Exchange = {
      stage: 'rcpt',
      command: rcptLine(question).command,
      outcome: { kind: 'failure', failure: 'timeout' },
    };
    return { kind: 'ended', stage: 'rcpt', finding: 'timeout', opening, transcript: [...said, asked] };
  }
  return { kind: 'not_connected', failure: queue.open > 0 ? 'crowded_out' : 'unreachable' };
}

/** A host that demands TLS, and with which TLS fails, has no policy against us. */
function inTheClear({ lessons }: HostQueue, finding: Finding): Finding {
  return finding === 'tls_required' && !lessons.useTls ? 'tls_failed' : finding;
}

function findingOf(heard: Heard | undefined): Finding | undefined {
  return heard?.kind === 'answered' || heard?.kind === 'ended' ? heard.finding : undefined;
}

function remove<Item>(items: Item[], item: Item): void {
  const position = items.indexOf(item);
  if (position >= 0) {
    items.splice(position, 1);
  }
}
