import {
  type AccountId,
  countNoOutcomes,
  limits,
  type OutcomeIgnoredReason,
  type OutcomeKind,
  type OutcomeProvider,
  type OutcomeRefusedReason,
  type OutcomeReport,
  type OutcomeRequest,
  type OutcomeSourceId,
  outcomeRefusedReasons,
  type ReportedOutcome,
} from '@mailproof/shared-types';
import type { OutcomeSource, ReceivedCounts, ReceivingStore } from './outcome-source.ts';
import type { InTurn } from './reading-turns.ts';

/** A request of a mail provider. */
export interface ProviderRequest {
  readonly headers: OutcomeRequest['headers'];
  /** The body as it arrived, which the provider has signed. */
  readonly content: Buffer;
  readonly now: Date;
  readonly signal: AbortSignal;
}

/** The account that reports outcomes. */
export interface Reporter {
  readonly accountId: AccountId;
  /** Whether the operator knows of a payment of the account. */
  readonly hasPaid: boolean;
}

/** An event, as an outcome to record or with the reason why it is ignored. */
export type ProviderEvent = ReportedOutcome | { readonly ignored: OutcomeIgnoredReason };

/** What a request of a provider contains. */
export type Reading =
  | { readonly kind: 'events'; readonly events: readonly ProviderEvent[] }
  /** The subscription to the provider's events is confirmed. */
  | { readonly kind: 'subscribed' };

/** The dialect of one provider: how its requests are verified, and what its events mean. */
export interface MailProvider {
  /**
   * @throws RequestRefused if the request is not the provider's, or does not have its form
   */
  read(
    request: ProviderRequest,
    source: Pick<OutcomeSource, 'sourceId'> & { key: string | null },
  ): Promise<Reading>;
}

export type MailProviders = Readonly<Record<OutcomeProvider, MailProvider>>;

/** A refused request. The message says why, and contains nothing of it. */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused';
  readonly reason: OutcomeRefusedReason;

  constructor(reason: OutcomeRefusedReason, options?: ErrorOptions) {
    super(outcomeRefusedReasons[reason], options);
    this.reason = reason;
  }
}

export interface ReceiveEvents {
  outcomesReceived(source: OutcomeSource, counts: ReceivedCounts): void;
  outcomeRequestRefused(source: OutcomeSource, reason: OutcomeRefusedReason): void;
}

export interface ReceivePorts {
  readonly sources: Pick<ReceivingStore, 'find' | 'countReceived' | 'countRefused' | 'noteSubscribed'>;
  readonly providers: MailProviders;
  readonly inTurn: InTurn;
  /** Has outcomes judged and recorded, at most `limits.outcomesPerReportMax` at once. */
  readonly report: (
    reporter: Reporter,
    outcomes: readonly ReportedOutcome[],
    signal: AbortSignal,
  ) => Promise<OutcomeReport>;
  readonly events: ReceiveEvents;
  readonly now: () => Date;
}

/**
 * Verifies a request, has its outcomes recorded, and counts what became of its events. If it rejects for any other reason
 * than a refusal, the provider must send the request again: each outcome counts once, because the provider names the time
 * of each event.
 *
 * @returns undefined if the source no longer exists
 * @throws RequestRefused, or TooMuchWaits before it has read anything
 */
export async function receiveEvents(
  ports: ReceivePorts,
  sourceId: OutcomeSourceId,
  { hasPaid, ...request }: Omit<ProviderRequest, 'now'> & Pick<Reporter, 'hasPaid'>,
): Promise<ReceivedCounts | undefined> {
  const { sources, events, now } = ports;
  const source = await sources.find(sourceId);
  if (!source) {
    return undefined;
  }
  try {
    const reading = await readRequest(ports, source, { ...request, now: now() });
    if (reading.kind === 'subscribed') {
      await sources.noteSubscribed(source.sourceNo, now());
      return nothing;
    }
    const counts = await recordEvents(
      ports,
      { accountId: source.accountId, hasPaid },
      reading.events,
      request.signal,
    );
    await sources.countReceived(source.sourceNo, counts, now());
    events.outcomesReceived(source, counts);
    return counts;
  } catch (error) {
    if (error instanceof RequestRefused) {
      await sources.countRefused(source.sourceNo, error.reason, now());
      events.outcomeRequestRefused(source, error.reason);
    }
    throw error;
  }
}

const nothing: ReceivedCounts = { recorded: 0, repeated: 0, kinds: {}, ignored: {} };

async function readRequest(
  { providers, inTurn }: Pick<ReceivePorts, 'providers' | 'inTurn'>,
  { provider, sourceId, accountId, key }: OutcomeSource,
  request: ProviderRequest,
): Promise<Reading> {
  if (key === undefined) {
    throw new RequestRefused('key_not_readable');
  }
  const reading = await inTurn(accountId, request.content.length, () =>
    providers[provider].read(request, { sourceId, key }),
  );
  if (reading.kind === 'events' && reading.events.length > limits.outcomeEventsMax) {
    throw new RequestRefused('too_many_events');
  }
  return reading;
}

async function recordEvents(
  { report }: ReceivePorts,
  reporter: Reporter,
  events: readonly ProviderEvent[],
  signal: AbortSignal,
): Promise<ReceivedCounts> {
  const outcomes: ReportedOutcome[] = [];
  const ignored: Partial<Record<OutcomeIgnoredReason, number>> = {};
  const ignore = (reason: OutcomeIgnoredReason) => {
    ignored[reason] = (ignored[reason] ?? 0) + 1;
  };
  for (const event of events) {
    if ('ignored' in event) ignore(event.ignored);
    else outcomes.push(event);
  }
  const counts = { recorded: 0, repeated: 0, kinds: countNoOutcomes() };
  for (let at = 0; at < outcomes.length; at += limits.outcomesPerReportMax) {
    const portion = outcomes.slice(at, at + limits.outcomesPerReportMax);
    const answer = await report(reporter, portion, signal);
    counts.recorded += answer.recorded;
    counts.repeated += answer.repeated;
    for (const kind of Object.keys(counts.kinds) as OutcomeKind[]) {
      counts.kinds[kind] += answer.kinds[kind];
    }
    for (const { reason } of answer.refused) ignore(reason);
  }
  return { ...counts, ignored };
}
