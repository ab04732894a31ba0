import { type AccountId, type EnrichmentOutcome, prices, type RequestId } from '@mailproof/shared-types';
import { type Charge, chargeOf, reserveForRun } from './charge.ts';
import type { CreditPort } from './credit-port.ts';

/** The sources of profiles. */
export interface ProfilePort {
  enrich(request: Omit<EnrichmentRequest, 'runId'>): Promise<EnrichmentOutcome>;
  /** Throws a problem for what is the URL of no profile; asks no source. */
  check(request: Omit<EnrichmentRequest, 'runId'>): Promise<void>;
}

export interface EnrichmentPorts {
  readonly credits: Pick<CreditPort, 'reserve' | 'release'>;
  readonly profiles: ProfilePort;
  /** The longest that one look-up can take. */
  readonly attemptMsMax: number;
  /** Whether an error says that the account has too few credits. */
  readonly isExhausted: (error: unknown) => boolean;
}

export interface EnrichmentRequest {
  readonly accountId: AccountId;
  /** The id of the request, or of the first attempt where this one takes over from it. */
  readonly runId: RequestId;
  readonly profileUrl: string;
  readonly maxAgeSeconds?: number | undefined;
  /** Aborted when the customer has gone: what was not delivered is not charged. */
  readonly signal: AbortSignal;
}

export interface ChargedEnrichment {
  readonly found: EnrichmentOutcome;
  /** To be collected once the answer is delivered; nothing where it is free or was paid before. */
  readonly charge?: Charge | undefined;
  /** Credits that the account can spend after this request. */
  readonly creditsRemaining: number;
}

/** Looks one profile up for credits: reserve, then ask. Only a profile that is found is charged. */
export async function enrichProfile(
  ports: EnrichmentPorts,
  request: EnrichmentRequest,
): Promise<ChargedEnrichment> {
  const { credits, profiles } = ports;
  const { accountId, runId } = request;
  const run = { accountId, runId, cause: 'profile-enrichment', amount: prices.profileEnrichment };
  const reserved = await reserveForRun(credits, run, ports.attemptMsMax).catch(async error => {
    // Whoever sends no profile is told so, and not to buy credits first.
    if (ports.isExhausted(error)) {
      await profiles.check(request);
    }
    throw error;
  });
  let found: EnrichmentOutcome;
  try {
    found = await profiles.enrich(request);
    request.signal.throwIfAborted();
  } catch (error) {
    // Should this fail too, the hold expires by itself; the customer is told of the first failure.
    await credits.release(reserved.holdId).catch(() => undefined);
    throw error;
  }
  if (found.outcome === 'found') {
    return {
      found,
      charge: chargeOf(reserved, run),
      creditsRemaining: reserved.available,
    };
  }
  const creditsRemaining = await credits
    .release(reserved.holdId)
    // The credits come back when the hold expires; the balance already counts them.
    .catch(() => reserved.available + prices.profileEnrichment);
  return { found, creditsRemaining };
}
