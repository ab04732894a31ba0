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
  /** The longest time that one validation can take, in milliseconds. */
  readonly attemptMsMax: number;
}

export interface ValidationOutcome {
  readonly verdict: Verdict;
  readonly charged: boolean;
  /** To be collected once the answer is delivered; absent if it is free or already paid. */
  readonly charge?: Charge | undefined;
  /** Credits that the account can spend after this request. */
  readonly creditsRemaining: number;
}

export interface ValidationRequest {
  readonly accountId: AccountId;
  /** The id of the request, or of the first attempt if this one takes over from it. */
  readonly runId: RequestId;
  /** The operation that credits move for. */
  readonly cause: string;
  readonly email: EmailAddress;
  /** Aborted when the customer disconnects: an undelivered answer is not charged. */
  readonly signal: AbortSignal;
}

/**
 * Validates one address for credits: reserves credits, then asks the engine. The charge is collected after the answer
 * is delivered. If the process dies in between, the hold expires, so the customer never pays for an undelivered answer.
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
    // If this fails too, the hold expires; the customer sees the first failure.
    await credits.release(reserved.holdId).catch(() => undefined);
    throw error;
  }
  if (isCharged(verdict.result)) {
    const charge = chargeOf(reserved, run);
    return { verdict, charged: true, charge, creditsRemaining: reserved.available };
  }
  const creditsRemaining = await credits
    .release(reserved.holdId)
    // The credits return when the hold expires; the balance already counts them.
    .catch(() => reserved.available + prices.validation);
  return { verdict, charged: false, creditsRemaining };
}
