import type { AccountId, EmailAddress, Verdict } from '@mailproof/shared-types';
import type { EvidenceSnapshots } from './catch-all/snapshots.ts';
import { firstDelayMs, greylistDelayMs, mayBeGreylisted } from './greylisting.ts';
import type { Withheld } from './standing/clearance.ts';
import type { HarvestGuard } from './standing/harvest-guard.ts';
import type { Validation } from './validate-address.ts';
import { withAddress, withoutAddress } from './verdict/describe.ts';

/** A verdict with the time at which the hosts were asked. */
export interface RememberedVerdict {
  readonly verdict: Verdict;
  readonly checkedAtMs: number;
}

/**
 * Verdicts of the last hours. Losing it loses time only. What is remembered with an audience is told to that account
 * alone, and the rest to everybody.
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
  /** Sees to it that the address is asked about again; does nothing when that is arranged already. */
  defer(email: EmailAddress, delayMs: number): Promise<void>;
}

export interface AnswerPorts {
  readonly memory: VerdictMemory;
  readonly deferredProbes: DeferredProbes;
  readonly harvestGuard: HarvestGuard;
  /** Puts into a verdict what is answered without asking anybody. */
  readonly withhold: (email: EmailAddress, withheld: Withheld) => Verdict;
  /** Whether an account has reported outcomes at the domain, so that its verdicts there may be its own alone. */
  readonly hasReported: (accountId: AccountId, email: EmailAddress) => Promise<boolean>;
  readonly snapshots: EvidenceSnapshots;
  /** Asks the hosts on behalf of an account, whose own outcomes count for it. */
  readonly validate: (
    email: EmailAddress,
    deadlineMs: number,
    signal: AbortSignal,
    accountId: AccountId,
  ) => Promise<Validation>;
  readonly nowMs: () => number;
  /** Told of a store that failed; the answer is given all the same. */
  readonly onStoreFailed: (error: unknown) => void;
}

/** How long verdicts are remembered, in milliseconds. */
export interface Lifetimes {
  readonly decidedMs: number;
  /** At most a minute: the world may have changed, and the customer pays nothing for it. */
  readonly unknownMs: number;
}

export interface AnswerRequest {
  readonly accountId: AccountId;
  readonly email: EmailAddress;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

/** A verdict with its age, and what it rests on where the hosts were asked for it just now. */
export interface Answer {
  readonly verdict: Verdict;
  readonly validation: Validation | undefined;
}

/**
 * Answers from memory where the address was asked about lately, and from the mail hosts otherwise. An
 * address that is greylisted, or may be, is asked about again behind the answer, so that the next question finds a
 * verdict.
 */
export async function answerAddress(
  ports: AnswerPorts,
  lifetimes: Lifetimes,
  { accountId, email, deadlineMs, signal }: AnswerRequest,
): Promise<Answer> {
  // Known answers count as guesses too: to the account they are no different.
  const [withheld, remembered] = await Promise.all([
    ports.harvestGuard.ask(accountId, email).catch(ports.onStoreFailed),
    recallFor(ports, accountId, email).catch(ports.onStoreFailed),
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
  const validation = await ports.validate(email, deadlineMs, signal, accountId);
  // A validation that was broken off says nothing of the address.
  if (!signal.aborted) {
    void ports.harvestGuard.answered(accountId, email, validation.verdict).catch(ports.onStoreFailed);
    await keep(ports, lifetimes, accountId, email, validation).catch(ports.onStoreFailed);
  }
  return { verdict: validation.verdict, validation };
}

/**
 * What may be told to the account. A verdict at a catch-all domain weighs outcomes, and an account's own count fully
 * for itself: where it has reported some at the domain, it is told what was found out for it alone (ADR 0017).
 */
async function recallFor(
  { memory, hasReported }: AnswerPorts,
  accountId: AccountId,
  email: EmailAddress,
): Promise<RememberedVerdict | undefined> {
  // Together, so that they are one round trip.
  const [shared, own] = await Promise.all([memory.recall(email), memory.recall(email, accountId)]);
  if (shared !== undefined && !restsOnOutcomes(shared.verdict)) {
    return shared;
  }
  return own ?? (shared !== undefined && !(await hasReported(accountId, email)) ? shared : undefined);
}

function restsOnOutcomes({ details }: Verdict): boolean {
  return details.catch_all !== undefined;
}

function isDeferred({ reason }: Verdict, evidence: Validation['evidence']): boolean {
  return reason === 'greylisted' || mayBeGreylisted(reason, evidence);
}

/**
 * Remembers a verdict and schedules the retry of an address that is greylisted, or may be. Resolves once the retry is
 * stored. The answer waits for nothing else: memories are sent before it, on the connection on which the next question
 * asks for them, and the loss of one snapshot only leaves later fits without it.
 */
async function keep(
  ports: AnswerPorts,
  lifetimes: Lifetimes,
  accountId: AccountId,
  email: EmailAddress,
  { verdict, evidence }: Validation,
): Promise<void> {
  // Asked after the validation: outcomes that it has seen are there to be found. Where this fails, nothing is kept.
  const isPrivate = restsOnOutcomes(verdict) && (await ports.hasReported(accountId, email));
  const remembering = rememberVerdict(ports, lifetimes, email, verdict, isPrivate ? accountId : undefined);
  void remembering.catch(ports.onStoreFailed);
  if (evidence.catchAll !== undefined) {
    void ports.snapshots.take(email, evidence.catchAll.observations).catch(ports.onStoreFailed);
  }
  if (isDeferred(verdict, evidence)) {
    await ports.deferredProbes.defer(email, greylistDelayMs(evidence) ?? firstDelayMs);
  }
}

/** Remembers a verdict without its address, an unknown one for a moment only. Rejects where the memory is away. */
export async function rememberVerdict(
  ports: Pick<AnswerPorts, 'memory' | 'nowMs'>,
  lifetimes: Lifetimes,
  email: EmailAddress,
  verdict: Verdict,
  audience?: AccountId,
): Promise<void> {
  const lifetimeMs = verdict.result === 'unknown' ? lifetimes.unknownMs : lifetimes.decidedMs;
  if (lifetimeMs > 0) {
    await ports.memory.remember(
      email,
      { verdict: withoutAddress(verdict), checkedAtMs: ports.nowMs() },
      lifetimeMs,
      audience,
    );
  }
}
