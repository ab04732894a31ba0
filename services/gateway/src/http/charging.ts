import { setTimeout } from 'node:timers/promises';
import { type Handler, Problem, type RequestContext } from '@mailproof/service-kit';
import {
  limits,
  type Operation,
  type OperationInput,
  type OperationResult,
  type RequestId,
} from '@mailproof/shared-types';
import type { Account } from '../domain/accounts/account.ts';
import { abandonAttempt } from '../domain/charging/abandon-attempt.ts';
import type { ChargeCollector } from '../domain/charging/charge.ts';
import { type Charge, type ChargedAnswer, chargeOf, reserveForRun } from '../domain/charging/charge.ts';
import type { CreditPort } from '../domain/charging/credit-port.ts';
import { type IdempotencyAttempt, type IdempotencyStore, secretsOf } from '../domain/charging/idempotency.ts';

export interface ChargingOptions {
  readonly records: IdempotencyStore;
  readonly credits: Pick<CreditPort, 'available' | 'reserve' | 'release'>;
  readonly collector: ChargeCollector;
  /** The longest that one attempt can take, in milliseconds; another may take over after that. */
  readonly attemptMsMax: number;
}

export type ChargingContext = RequestContext<Account> & {
  /** The run to hold credits for: this request, or the first one with the same `Idempotency-Key`. */
  readonly runId: RequestId;
};

export type ChargingHandler<Op extends Operation> = (
  input: OperationInput<Op>,
  context: ChargingContext,
) => Promise<ChargedAnswer<OperationResult<Op>>>;

/** Time to send a stored answer and collect its charge, in milliseconds. */
const deliveredWithinMs = 10_000;
/** `Retry-After` while the first request with the same key is still running, in seconds. */
const retryAfterSeconds = 2;

/**
 * Makes the handler of an operation that can charge. The charge is collected once the answer is delivered. With an
 * `Idempotency-Key`, the answer is stored before it is sent, and sent again if the request is repeated (ADR 0023; IETF
 * draft draft-ietf-httpapi-idempotency-key-header).
 */
export function chargingHandler<Op extends Operation>(
  operation: Op,
  options: ChargingOptions,
  handle: ChargingHandler<Op>,
): Handler<Op, Account> {
  const { collector } = options;
  const answer = (context: RequestContext<Account>, { charge, creditsRemaining }: ChargedAnswer<unknown>) => {
    context.setHeader('x-credits-remaining', creditsRemaining);
    if (charge) {
      context.whenAnswered(wasDelivered => collector.afterAnswer(charge, wasDelivered));
    }
  };
  return async (input, context) => {
    const key = readKey(context.header('idempotency-key'));
    const answered =
      key === undefined
        ? await handle(input, forRun(context, context.requestId))
        : await once(operation, options, handle, { key, input, context });
    answer(context, answered);
    return answered.result;
  };
}

function forRun(context: RequestContext<Account>, runId: RequestId): ChargingContext {
  return { ...context, runId };
}

interface KeyedRequest<Op extends Operation> {
  readonly key: string;
  readonly input: OperationInput<Op>;
  readonly context: RequestContext<Account>;
}

async function once<Op extends Operation>(
  operation: Op,
  options: ChargingOptions,
  handler: ChargingHandler<Op>,
  { key, input, context }: KeyedRequest<Op>,
): Promise<ChargedAnswer<OperationResult<Op>>> {
  const { accountId } = context.caller;
  const secrets = secretsOf(accountId, key);
  const attempt: IdempotencyAttempt = {
    accountId,
    lookup: secrets.lookup,
    fingerprint: secrets.fingerprint(operation.id, input),
    requestId: context.requestId,
    leaseMs: options.attemptMsMax,
    keptMs: limits.idempotencyKeptMs,
  };
  // The attempt may have started even if the response was lost.
  const outcome = await orAbandon(options, attempt, () => options.records.begin(attempt));
  switch (outcome.kind) {
    case 'inUse':
      throw new Problem('idempotency_key_in_use', { headers: { 'retry-after': String(retryAfterSeconds) } });
    case 'reused':
      throw new Problem('idempotency_key_reused');
    case 'answered': {
      context.setHeader('idempotent-replayed', 'true');
      const { result, cause, amount } = secrets.open(outcome.sealedAnswer);
      const paid = await payFor(options, { accountId, runId: outcome.runId, cause, amount });
      return { result: result as OperationResult<Op>, ...paid };
    }
    case 'started': {
      const kept = await orAbandon(options, attempt, async () => {
        const answered = await handler(input, forRun(context, outcome.runId));
        const { result, charge } = answered;
        const amount = charge?.amount ?? 0;
        const sealed = secrets.seal({ result, cause: operation.id, amount });
        return (await keep(options, attempt, sealed, charge)) ? answered : undefined;
      });
      // A key has one answer: an overtaken attempt returns the other attempt's answer, or reports that it is running.
      // Its own answer is not charged, and both share one hold.
      return kept ?? once(operation, options, handler, { key, input, context });
    }
  }
}

/** Abandons a failed attempt: the next one with the same key starts over. A stored answer stays. */
async function orAbandon<Result>(
  { records }: ChargingOptions,
  attempt: IdempotencyAttempt,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    await abandonAttempt(records, attempt, ms => setTimeout(ms, undefined, { ref: false }));
    throw error;
  }
}

/** Stores an answer. If that fails, the answer must not be sent, or the request could be answered and charged twice. */
async function keep(
  { records, collector }: ChargingOptions,
  attempt: IdempotencyAttempt,
  sealedAnswer: Uint8Array,
  charge: Charge | undefined,
): Promise<boolean> {
  try {
    return await records.keep(attempt, sealedAnswer);
  } catch (error) {
    if (charge) {
      collector.afterAnswer(charge, false);
    }
    throw error;
  }
}

/** Charges for a repeated answer only if its first delivery was never paid. */
async function payFor(
  { credits }: ChargingOptions,
  run: Parameters<typeof reserveForRun>[1],
): Promise<Pick<ChargedAnswer<unknown>, 'charge' | 'creditsRemaining'>> {
  if (run.amount === 0) {
    return { creditsRemaining: await credits.available(run.accountId) };
  }
  const reserved = await reserveForRun(credits, run, deliveredWithinMs);
  return { charge: chargeOf(reserved, run), creditsRemaining: reserved.available };
}

/** @throws Problem `invalid_request` if the header is not a valid `Idempotency-Key` */
function readKey(header: string | undefined): string | undefined {
  if (header === undefined) {
    return undefined;
  }
  if (!/^[\x20-\x7e]+$/.test(header) || header.length > limits.idempotencyKeyCharactersMax) {
    const detail = `An \`Idempotency-Key\` must have 1 to ${limits.idempotencyKeyCharactersMax} printable ASCII characters.`;
    throw new Problem('invalid_request', { detail });
  }
  return header;
}
