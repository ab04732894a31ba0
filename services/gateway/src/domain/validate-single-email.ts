import {
  type AccountId,
  type EmailAddress,
  type HoldId,
  isCharged,
  prices,
  type Verdict,
} from '@mailproof/shared-types';
import type { CreditPort } from './credit-port.ts';

/** The validation engine. */
export interface EnginePort {
  validate(request: Pick<ValidationRequest, 'accountId' | 'email' | 'signal'>): Promise<Verdict>;
}

export interface ValidationPorts {
  readonly credits: CreditPort;
  readonly engine: EnginePort;
  /** Sees to it that a hold is settled later, when the ledger could not be reached. */
  readonly settleLater: (holdId: HoldId, delivered: number) => Promise<void>;
  /** Whether a failure means that a peer was away. */
  readonly isUnavailable: (error: unknown) => boolean;
}

export interface ValidationOutcome {
  readonly verdict: Verdict;
  readonly charged: boolean;
  /** Credits that the account can spend after this request. */
  readonly creditsRemaining: number;
}

export interface ValidationRequest {
  readonly accountId: AccountId;
  readonly requestId: string;
  readonly email: EmailAddress;
  /** Aborted when the customer has gone: what was not delivered is not charged. */
  readonly signal: AbortSignal;
}

/**
 * Validates one address for credits in two phases: reserve, ask, then charge or give back. A process that dies in
 * between leaves a hold that expires, so the customer never pays for an answer that was not given.
 */
export async function validateSingleEmail(
  ports: ValidationPorts,
  request: ValidationRequest,
): Promise<ValidationOutcome> {
  const { credits, engine } = ports;
  const reserved = await credits.reserve({
    accountId: request.accountId,
    runId: request.requestId,
    amount: prices.validation,
  });
  let verdict: Verdict;
  try {
    verdict = await engine.validate(request);
    request.signal.throwIfAborted();
  } catch (error) {
    // Should this fail too, the hold expires by itself; the customer is told of the first failure.
    await credits.release(reserved.holdId).catch(() => undefined);
    throw error;
  }
  if (!isCharged(verdict.result)) {
    const creditsRemaining = await credits
      .release(reserved.holdId)
      // The credits come back when the hold expires; the balance already counts them.
      .catch(() => reserved.available + prices.validation);
    return { verdict, charged: false, creditsRemaining };
  }
  try {
    const available = await credits.settle(reserved.holdId, prices.validation);
    return available === undefined
      ? { verdict, charged: false, creditsRemaining: reserved.available + prices.validation }
      : { verdict, charged: true, creditsRemaining: available };
  } catch (error) {
    if (!ports.isUnavailable(error)) {
      throw error;
    }
    // The ledger may or may not have settled; asking again later is safe, since a settlement counts once.
    await ports.settleLater(reserved.holdId, prices.validation);
    return { verdict, charged: true, creditsRemaining: reserved.available };
  }
}
