import {
  type AccountId,
  type EmailAddress,
  isCharged,
  prices,
  type RequestId,
  type Verdict,
} from '@mailproof/shared-types';
import { type Charge, chargeOf, reserveForRun } from './charge.ts';
import type { CreditPort } from './credit-port.ts';

/** The validation engine. */
export interface EnginePort {
  validate(request: Pick<ValidationRequest, 'accountId' | 'email' | 'signal'>): Promise<Verdict>;
}

export interface ValidationPorts {
  readonly credits: CreditPort;
  readonly engine: EnginePort;
  /** The longest that one validation can take, in milliseconds. */
  readonly attemptMsMax: number;
}

export interface ValidationOutcome {
  readonly verdict: Verdict;
  readonly charged: boolean;
  /** To be collected once the answer is delivered; nothing where it is free or was paid before. */
  readonly charge?: Charge | undefined;
  /** Credits that the account can spend after this request. */
  readonly creditsRemaining: number;
}

export interface ValidationRequest {
  readonly accountId: AccountId;
  /** The id of the request, or of the first attempt where this one takes over from it. */
  readonly runId: RequestId;
  /** The operation on whose behalf credits move. */
  readonly cause: string;
  readonly email: EmailAddress;
  /** Aborted when the customer has gone: what was not delivered is not charged. */
  readonly signal: AbortSignal;
}

/**
 * Validates one address for credits: reserve, then ask. The charge is collected after the answer was delivered. A
 * process that dies in between leaves a hold that expires, so the customer never pays for an answer that was not given.
 */
export async function validateSingleEmail(
  ports: ValidationPorts,
  request: ValidationRequest,
): Promise<ValidationOutcome> {
  const { credits, engine } = ports;
  const { accountId, runId, cause } = request;
  const run = { accountId, runId, cause, amount: prices.validation };
  const reserved = await reserveForRun(credits, run, ports.attemptMsMax);
  let verdict: Verdict;
  try {
    verdict = await engine.validate(request);
    request.signal.throwIfAborted();
  } catch (error) {
    // Should this fail too, the hold expires by itself; the customer is told of the first failure.
    await credits.release(reserved.holdId).catch(() => undefined);
    throw error;
  }
  if (isCharged(verdict.result)) {
    const charge = chargeOf(reserved, run);
    return { verdict, charged: true, charge, creditsRemaining: reserved.available };
  }
  const creditsRemaining = await credits
    .release(reserved.holdId)
    // The credits come back when the hold expires; the balance already counts them.
    .catch(() => reserved.available + prices.validation);
  return { verdict, charged: false, creditsRemaining };
}
