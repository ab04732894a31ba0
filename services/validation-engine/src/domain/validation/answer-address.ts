import type { AccountId, EmailAddress, Verdict, VerdictReason } from '@mailproof/shared-types';
import type { EvidenceSnapshots } from '../catch-all/fit/labeled.ts';
import type { AddressList } from '../concurrency/deadline.ts';
import { isPlainDeferral, isThrottle } from '../host-gate/gated-connector.ts';
import type { Reply } from '../smtp/reply.ts';
import type { HarvestGuard, Withheld } from '../standing/clearance.ts';
import { withAddress, withoutAddress } from '../verdict/describe.ts';
import type { Evidence } from '../verdict/evidence.ts';
import type { Validation } from './validate-address.ts';

/** A verdict with the time at which the hosts were asked. */
export interface RememberedVerdict {
  readonly verdict: Verdict;
  readonly checkedAtMs: number;
  /** Set if it rests on people whom its audience has imported. */
  readonly restsOnOwnPeople?: true | undefined;
}

/**
 * Verdicts of the last hours. Losing them only costs time. A verdict with an audience is given only to that account,
 * any other to every account.
 */
export interface VerdictMemory {
  recall(email: EmailAddress, audience?: AccountId): Promise<RememberedVerdict | undefined>;
  remember(
    email: EmailAddress,
    remembered: RememberedVerdict,
    lifetimeMs: number,
    audience?: AccountId,
  ): Promise<void>;
}

/** Addresses to ask about again later. */
export interface DeferredProbes {
  /** Schedules another probe of the address; does nothing if one is already scheduled. */
  defer(email: EmailAddress, delayMs: number): Promise<void>;
}

export interface AnswerPorts {
  readonly memory: VerdictMemory;
  readonly deferredProbes: DeferredProbes;
  readonly harvestGuard: HarvestGuard;
  /** Makes the verdict for an answer that is given without asking any host. */
  readonly withhold: (email: EmailAddress, withheld: Withheld) => Verdict;
  /** Whether an account has reported outcomes at the domain; its verdicts there may then be for it alone. */
  readonly hasReported: (accountId: AccountId, email: EmailAddress) => Promise<boolean>;
  /**
   * Whether people whom an account has imported count for an address, whose verdict is then for this account alone;
   * undefined if that cannot be told in time.
   */
  readonly ownPeopleMatter: (
    accountId: AccountId,
    email: EmailAddress,
    deadlineMs: number,
    signal: AbortSignal,
  ) => Promise<boolean | undefined>;
  readonly snapshots: EvidenceSnapshots;
  /** Asks the hosts on behalf of an account, whose own outcomes count for it. */
  readonly validate: (
    email: EmailAddress,
    deadlineMs: number,
    signal: AbortSignal,
    accountId: AccountId,
    list: AddressList | undefined,
  ) => Promise<Validation>;
  readonly nowMs: () => number;
  /** Called when a store fails; the answer is given anyway. */
  readonly onStoreFailed: (error: unknown) => void;
}

/** How long verdicts are remembered, in milliseconds. */
interface Lifetimes {
  readonly decidedMs: number;
  /** At most a minute: the situation may have changed, and the customer pays nothing for an unknown verdict. */
  readonly unknownMs: number;
}

export interface AnswerRequest {
  readonly accountId: AccountId;
  readonly email: EmailAddress;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  /** The list that the address comes from; undefined if a client waits for this answer alone. */
  readonly list?: AddressList | undefined;
}

/** A verdict with its age, and the validation behind it if the hosts were asked just now. */
export interface Answer {
  readonly verdict: Verdict;
  readonly validation: Validation | undefined;
  /** Set if asking again would change nothing. */
  readonly isFinal?: true;
}

/**
 * Answers from memory if the address was asked about recently, and from the mail hosts otherwise. Schedules another
 * probe of an address that is greylisted, or may be, so that the next question finds a verdict.
 */
export async function answerAddress(
  ports: AnswerPorts,
  lifetimes: Lifetimes,
  request: AnswerRequest,
): Promise<Answer> {
  const { accountId, email, deadlineMs, signal, list } = request;
  // Remembered answers count as guesses too: they tell the account just as much.
  const [withheld, remembered] = await Promise.all([
    ports.harvestGuard.ask(accountId, email).catch(ports.onStoreFailed),
    recallFor(ports, request).catch(ports.onStoreFailed),
  ]);
  if (withheld) {
    return { verdict: ports.withhold(email, withheld), validation: undefined };
  }
  if (remembered) {
    await ports.harvestGuard.answered(accountId, email, remembered.verdict).catch(ports.onStoreFailed);
    const ageMs = Math.max(0, ports.nowMs() - remembered.checkedAtMs);
    return {
      verdict: withAddress(remembered.verdict, email, Math.floor(ageMs / 1_000)),
      validation: undefined,
    };
  }
  const validation = await ports.validate(email, deadlineMs, signal, accountId, list);
  // An aborted validation says nothing about the address.
  if (!signal.aborted) {
    void ports.harvestGuard.answered(accountId, email, validation.verdict).catch(ports.onStoreFailed);
    await keep(ports, lifetimes, accountId, email, validation).catch(ports.onStoreFailed);
  }
  return { verdict: validation.verdict, validation };
}

/**
 * Recalls the verdict that the account may see. A verdict at a catch-all domain weighs outcomes and known people, and an
 * account's own count for it alone: an account that has reported outcomes at the domain, or has imported people who
 * count for the address, sees only the verdict that was found for it alone (ADR 0017, ADR 0072).
 */
async function recallFor(
  { memory, hasReported, ownPeopleMatter }: AnswerPorts,
  { accountId, email, deadlineMs, signal }: AnswerRequest,
): Promise<RememberedVerdict | undefined> {
  // Sent together, so that they take one round trip.
  const [shared, own] = await Promise.all([memory.recall(email), memory.recall(email, accountId)]);
  if (shared !== undefined && !restsOnOutcomes(shared.verdict)) {
    return shared;
  }
  if (shared === undefined && own === undefined) {
    return undefined;
  }
  const matter = await ownPeopleMatter(accountId, email, deadlineMs, signal);
  // Without an answer, a new validation would not know these people either.
  const isCurrent = (remembered: RememberedVerdict) =>
    matter === undefined || matter === (remembered.restsOnOwnPeople ?? false);
  if (own !== undefined && isCurrent(own)) {
    return own;
  }
  return shared !== undefined && isCurrent(shared) && !(await hasReported(accountId, email))
    ? shared
    : undefined;
}

function restsOnOutcomes({ details }: Verdict): boolean {
  return details.catch_all !== undefined;
}

function isDeferred({ reason }: Verdict, evidence: Validation['evidence']): boolean {
  return reason === 'greylisted' || mayBeGreylisted(reason, evidence);
}

/**
 * Remembers a verdict and schedules the retry of an address that is greylisted, or may be. Resolves once the retry is
 * stored. The answer waits for nothing else: the verdict is sent to the memory first, on the same connection that the
 * next question uses, and a lost snapshot is only missing from later fits.
 */
async function keep(
  ports: AnswerPorts,
  lifetimes: Lifetimes,
  accountId: AccountId,
  email: EmailAddress,
  { verdict, evidence }: Validation,
): Promise<void> {
  // Asked after the validation, so that every outcome that the validation saw is found. If this fails, nothing is kept.
  const restsOnOwnPeople = evidence.catchAll?.restsOnOwnPeople;
  const isPrivate =
    restsOnOutcomes(verdict) && (restsOnOwnPeople || (await ports.hasReported(accountId, email)));
  const remembering = rememberVerdict(
    ports,
    lifetimes,
    email,
    verdict,
    isPrivate ? { accountId, restsOnOwnPeople } : undefined,
  );
  void remembering.catch(ports.onStoreFailed);
  if (evidence.catchAll !== undefined) {
    void ports.snapshots.take(email, evidence.catchAll.observations).catch(ports.onStoreFailed);
  }
  if (isDeferred(verdict, evidence)) {
    await ports.deferredProbes.defer(email, greylistDelayMs(evidence) ?? firstDelayMs);
  }
}

/** Remembers a verdict without its address; an unknown one only briefly. Rejects if the memory is unavailable. */
export async function rememberVerdict(
  ports: Pick<AnswerPorts, 'memory' | 'nowMs'>,
  lifetimes: Lifetimes,
  email: EmailAddress,
  verdict: Verdict,
  audience?: Pick<AnswerRequest, 'accountId'> & Pick<RememberedVerdict, 'restsOnOwnPeople'>,
): Promise<void> {
  const lifetimeMs = verdict.result === 'unknown' ? lifetimes.unknownMs : lifetimes.decidedMs;
  if (lifetimeMs > 0) {
    await ports.memory.remember(
      email,
      {
        verdict: withoutAddress(verdict),
        checkedAtMs: ports.nowMs(),
        ...(audience?.restsOnOwnPeople && { restsOnOwnPeople: true }),
      },
      lifetimeMs,
      audience?.accountId,
    );
  }
}

/** Most greylists open after five minutes; the extra minute allows for their clocks. */
export const firstDelayMs = 360_000;

/** The last retry comes sixteen hours after the first attempt; by then, most hosts have long let us in. */
const retriesMax = 6;
const delayFactor = 3;
const delayMsMax = 6 * 3_600_000;

/**
 * How long to wait before another retry; undefined after enough attempts.
 *
 * @param attempts number of attempts before the retry that has just failed, including the first attempt
 */
export function nextDelayMs(attempts: number): number | undefined {
  return attempts >= retriesMax ? undefined : Math.min(delayMsMax, firstDelayMs * delayFactor ** attempts);
}

/** True if a verdict is undecided because a host deferred a recipient: the real one, or a made-up one. */
export function mayBeGreylisted(reason: VerdictReason, { attempts }: Pick<Evidence, 'attempts'>): boolean {
  if (reason !== 'temporary_failure' && reason !== 'probe_inconclusive') {
    return false;
  }
  return attempts.some(
    attempt =>
      attempt.kind === 'probed' &&
      attempt.result.kind === 'answered' &&
      (isPlainDeferral(attempt.result.recipient, attempt.result.reply) ||
        saysComeBack(attempt.result.reply) ||
        attempt.result.madeUp.some(({ finding, reply }) => isPlainDeferral(finding, reply))),
  );
}

/**
 * A greylist may hang up with 421. So does a busy host, which does not name a time.
 * 421 4.7.1 Unfamiliar sender, please retry in 60 seconds
 */
function saysComeBack(reply: Reply | undefined): boolean {
  return (
    reply?.code === 421 &&
    !isThrottle({ kind: 'reply', reply }) &&
    readDelayMs(reply.lines.join(' ')) !== undefined
  );
}

/** How hosts say when to come back, each with a line that was seen. */
const statedDelays: readonly { pattern: RegExp; toMs: (match: RegExpExecArray) => number }[] = [
  // 451 4.7.1 Greylisting in action, please come back in 00:05:00
  {
    pattern: /\b(\d{1,2}):(\d{2}):(\d{2})\b/,
    toMs: ([, hours, minutes, seconds]) =>
      (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000,
  },
  // 450 4.2.0 <ada@ordinary.example>: Recipient address rejected: Greylisted for 300 seconds
  // 451 4.7.1 Greylisted, try again in 294 seconds
  { pattern: /\b(\d{1,6}) ?(?:s|secs?|seconds?)\b/i, toMs: ([, seconds]) => Number(seconds) * 1_000 },
  // 451 You have been greylisted. Please try again in 5 minutes.
  { pattern: /\b(\d{1,4}) ?(?:min|minutes?)\b/i, toMs: ([, minutes]) => Number(minutes) * 60_000 },
];

const statedDelayMsMax = 24 * 3_600_000;
/** A retry that is exactly on time may be early by the host's clock. */
const graceMs = 2_000;

/** The delay that a host asked for in words, if one did. */
export function greylistDelayMs({ attempts }: Pick<Evidence, 'attempts'>): number | undefined {
  for (const attempt of attempts) {
    const exchanges = attempt.kind === 'probed' ? attempt.transcript : [];
    for (const { stage, outcome } of exchanges) {
      if (
        stage === 'rcpt' &&
        outcome.kind === 'reply' &&
        outcome.reply.code >= 400 &&
        outcome.reply.code < 500
      ) {
        const delayMs = readDelayMs(outcome.reply.lines.join(' '));
        if (delayMs !== undefined) {
          return delayMs;
        }
      }
    }
  }
  return undefined;
}

/** Reads a time span from the text of a reply. */
export function readDelayMs(text: string): number | undefined {
  for (const { pattern, toMs } of statedDelays) {
    const match = pattern.exec(text);
    const delayMs = match ? toMs(match) : 0;
    if (delayMs > 0 && delayMs <= statedDelayMsMax) {
      return delayMs + graceMs;
    }
  }
  return undefined;
}
