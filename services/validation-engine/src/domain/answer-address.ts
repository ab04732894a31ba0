import type { AccountId, EmailAddress, Verdict } from '@mailproof/shared-types';
import { firstDelayMs, greylistDelayMs } from './greylisting.ts';
import type { Withheld } from './standing/clearance.ts';
import type { HarvestGuard } from './standing/harvest-guard.ts';
import type { Validation } from './validate-address.ts';
import { withAddress, withoutAddress } from './verdict/describe.ts';

/** A verdict with the time at which the hosts were asked. */
export interface RememberedVerdict {
  readonly verdict: Verdict;
  readonly checkedAtMs: number;
}

/** Verdicts of the last hours. Losing it loses time only. */
export interface VerdictMemory {
  recall(email: EmailAddress): Promise<RememberedVerdict | undefined>;
  remember(email: EmailAddress, remembered: RememberedVerdict, lifetimeMs: number): Promise<void>;
}

/** Addresses to ask about again later. */
export interface DeferredProbes {
  /** Sees to it that the address is asked about again; does nothing when that is arranged already. */
  defer(email: EmailAddress, delayMs: number): Promise<void>;
}

export interface AnswerPorts {
  readonly memory: VerdictMemory;
  readonly deferredProbes: DeferredProbes;
  /** Asks the hosts. */
  readonly validate: (email: EmailAddress, deadlineMs: number, signal: AbortSignal) => Promise<Validation>;
  readonly harvestGuard: HarvestGuard;
  /** Puts into a verdict what is answered without asking anybody. */
  readonly withhold: (email: EmailAddress, withheld: Withheld) => Verdict;
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
 * Answers from memory where the address was asked about lately, and from the mail hosts otherwise. A greylisted
 * address is asked about again behind the answer, so that the next question finds a verdict.
 */
export async function answerAddress(
  ports: AnswerPorts,
  lifetimes: Lifetimes,
  { accountId, email, deadlineMs, signal }: AnswerRequest,
): Promise<Answer> {
  // Known answers count as guesses too: to the account they are no different.
  const [withheld, remembered] = await Promise.all([
    ports.harvestGuard.ask(accountId, email).catch(ports.onStoreFailed),
    ports.memory.recall(email).catch(ports.onStoreFailed),
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
  const validation = await ports.validate(email, deadlineMs, signal);
  // A validation that was broken off says nothing of the address.
  if (!signal.aborted) {
    await Promise.all([
      keep(ports, lifetimes, email, validation).catch(ports.onStoreFailed),
      ports.harvestGuard.answered(accountId, email, validation.verdict).catch(ports.onStoreFailed),
    ]);
  }
  return { verdict: validation.verdict, validation };
}

/** Remembers a verdict and arranges for a greylisted address to be asked about again. */
async function keep(
  ports: AnswerPorts,
  lifetimes: Lifetimes,
  email: EmailAddress,
  { verdict, evidence }: Validation,
): Promise<void> {
  await rememberVerdict(ports, lifetimes, email, verdict);
  if (verdict.reason === 'greylisted') {
    await ports.deferredProbes.defer(email, greylistDelayMs(evidence) ?? firstDelayMs);
  }
}

export async function rememberVerdict(
  ports: Pick<AnswerPorts, 'memory' | 'nowMs'>,
  lifetimes: Lifetimes,
  email: EmailAddress,
  verdict: Verdict,
): Promise<void> {
  const lifetimeMs = verdict.result === 'unknown' ? lifetimes.unknownMs : lifetimes.decidedMs;
  if (lifetimeMs > 0) {
    await ports.memory.remember(
      email,
      { verdict: withoutAddress(verdict), checkedAtMs: ports.nowMs() },
      lifetimeMs,
    );
  }
}
