import { type Clock, deadlineAfter, isOver } from '../../deadline.ts';
import type { SmtpConnector } from '../connection.ts';
import { holdConversation } from '../conversation.ts';
import { openSession } from '../open-session.ts';
import { createSession, type Session } from '../session.ts';
import type { SmtpEvents } from '../smtp-events.ts';
import { type HostQueue, latestOf } from './host-queue.ts';
import { flightMax, openingTimeoutMs, strangersFlightMax } from './limits.ts';
import type { RecipientAnswer, RecipientQuestion } from './recipient-asker.ts';

/** What we say of ourselves to hosts. */
export interface Identity {
  readonly heloName: string | undefined;
  /** Sender of the transactions; empty for the null sender (RFC 5321 section 4.5.5). */
  readonly mailFrom: string;
}

export type Opened =
  | { readonly kind: 'open'; readonly session: Session }
  /** The answer is that of everybody who waits; `left` resolves when the host has been taken leave of. */
  | { readonly kind: 'failed'; readonly answer: RecipientAnswer; readonly left: Promise<void> };

/**
 * Opens a session at the address of a queue, for as long as anybody waits for it. Where TLS is offered and fails, once
 * more in the clear.
 *
 * @param question one of those that wait, which knows whose host it is
 */
export async function openAtHost(
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
    const conversation = holdConversation(connected.connection, clock, ({ stage, outcome }) =>
      events.replyHeard(provider, stage, outcome),
    );
    const introduction = { heloName, provider, serverName, useTls: lessons.useTls };
    const sinceMs = clock.nowMs();
    const opening = await openSession(conversation, introduction, deadline);
    events.sessionTried(provider, opening.kind === 'open' ? 'open' : 'refused');
    if (opening.kind === 'open') {
      const { refusalsMax, recipientsPerSessionMax, usePipelining } = lessons;
      const replyMs = (clock.nowMs() - sinceMs) / opening.transcript.length;
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
    // A handshake for which we had no time left says nothing of the host.
    if (opening.stage !== 'starttls' || !lessons.useTls || isOver(deadline)) {
      const { transcript, ...ended } = opening;
      return { kind: 'failed', answer: { ...ended, opening: transcript, transcript: [] }, left };
    }
    await left;
    lessons.useTls = false;
  }
}
