import { setTimeout } from 'node:timers/promises';
import { type Guard, Problem, type RequestContext, type Route, route } from '@mailproof/service-kit';
import {
  limits,
  type Operation,
  type OperationInput,
  type OperationResult,
  type RequestId,
} from '@mailproof/shared-types';
import type { Account } from '../domain/accounts/account.ts';
import { abandonAttempt } from '../domain/charging/abandon-attempt.ts';
import { type Charge, type ChargedAnswer, chargeOf, reserveForRun } from '../domain/charging/charge.ts';
import type { ChargeCollector } from '../domain/charging/collect-charges.ts';
import type { CreditPort } from '../domain/charging/credit-port.ts';
import { type IdempotencyAttempt, type IdempotencyStore, secretsOf } from '../domain/charging/idempotency.ts';

export interface ChargingRouteOptions {
  /** Lets in whoever has an API key, or has signed in; either way the account pays. */
  readonly guard: Guard<Account>;
  readonly records: IdempotencyStore;
  readonly credits: Pick<CreditPort, 'available' | 'reserve' | 'release'>;
  readonly collector: ChargeCollector;
  /** The longest that one attempt can take; after that another may take over. */
  readonly attemptMsMax: number;
}

export type ChargingContext = RequestContext<Account> & {
  /** What credits are to be held for: the request, or the first one with the same `Idempotency-Key`. */
  readonly runId: RequestId;
};

export type ChargingHandler<Op extends Operation> = (
  input: OperationInput<Op>,
  context: ChargingContext,
) => Promise<ChargedAnswer<OperationResult<Op>>>;

/** Time in which a kept answer is sent and its charge collected, in milliseconds. */
const deliveredWithinMs = 10_000;
/** A client is told to wait for so long while its first request is being answered, in seconds. */
const retryAfterSeconds = 2;

/**
 * Mounts an operation that can charge. The charge is collected once the answer is delivered. With an `Idempotency-Key`
 * the answer is kept before it is sent, and sent again to whoever asks the same (ADR 0023; IETF draft
 * draft-ietf-httpapi-idempotency-key-header).
 */
export function chargingRoute<Op extends Operation>(
  operation: Op,
  options: ChargingRouteOptions,
  handler: ChargingHandler<Op>,
): Route {
  const { collector } = options;
  const answer = (context: RequestContext<Account>, { charge, creditsRemaining }: ChargedAnswer<unknown>) => {
    context.setHeader('x-credits-remaining', creditsRemaining);
    if (charge) {
      context.whenAnswered(wasDelivered => collector.afterAnswer(charge, wasDelivered));
    }
  };
  return route(operation, options.guard, async (input, context) => {
    const key = readKey(context.header('idempotency-key'));
    const answered =
      key === undefined
        ? await handler(input, forRun(context, context.requestId))
        : await once(operation, options, handler, { key, input, context });
    answer(context, answered);
    return answered.result;
  });
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
  options: ChargingRouteOptions,
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
  // It may have begun even where that was not heard of.
  const begun = await orAbandon(options, attempt, () => options.records.begin(attempt));
  switch (begun.kind) {
    case 'inUse':
      throw new Problem('idempotency_key_in_use', { headers: { 'retry-after': String(retryAfterSeconds) } });
    case 'reused':
      throw new Problem('idempotency_key_reused');
    case 'answered': {
      context.setHeader('idempotent-replayed', 'true');
      const { result, cause, amount } = secrets.open(begun.sealedAnswer);
      const paid = await payFor(options, { accountId, runId: begun.runId, cause, amount });
      return { result: result as OperationResult<Op>, ...paid };
    }
    case 'begun': {
      const kept = await orAbandon(options, attempt, async () => {
        const answered = await handler(input, forRun(context, begun.runId));
        const { result, charge } = answered;
        const amount = charge?.amount ?? 0;
        const sealed = secrets.seal({ result, cause: operation.id, amount });
        return (await keep(options, attempt, sealed, charge)) ? answered : undefined;
      });
      // One answer is given under a key: whoever was overtaken gives that of the other attempt, or says that it is under
      // way. Its own is not charged, and its hold is the other's as well.
      return kept ?? once(operation, options, handler, { key, input, context });
    }
  }
}

/** A failed attempt is not kept: the next one with the same key runs anew. An answer that was kept stays. */
async function orAbandon<Result>(
  { records }: ChargingRouteOptions,
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

/** An answer that cannot be kept must not be given, or its request could be answered and charged once more. */
async function keep(
  { records, collector }: ChargingRouteOptions,
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

/** An answer that is given again is charged only if its first delivery was never paid. */
async function payFor(
  { credits }: ChargingRouteOptions,
  run: Parameters<typeof reserveForRun>[1],
): Promise<Pick<ChargedAnswer<unknown>, 'charge' | 'creditsRemaining'>> {
  if (run.amount === 0) {
    return { creditsRemaining: await credits.available(run.accountId) };
  }
  const reserved = await reserveForRun(credits, run, deliveredWithinMs);
  return { charge: chargeOf(reserved, run), creditsRemaining: reserved.available };
}

/** @throws Problem `invalid_request` for what cannot be an `Idempotency-Key` */
export function readKey(header: string | undefined): string | undefined {
  if (header === undefined) {
    return undefined;
  }
  if (!/^[\x20-\x7e]+$/.test(header) || header.length > limits.idempotencyKeyCharactersMax) {
    const detail = `An \`Idempotency-Key\` has 1 to ${limits.idempotencyKeyCharactersMax} printable ASCII characters.`;
    throw new Problem('invalid_request', { detail });
  }
  return header;
}
