import { type AccountId, type EnrichmentOutcome, prices, type RequestId } from '@mailproof/shared-types';
import { type Charge, chargeOf, reserveForRun } from './charge.ts';
import type { CreditPort } from './credit-port.ts';

/** The sources of profiles. */
export interface ProfilePort {
  enrich(request: Omit<EnrichmentRequest, 'runId'>): Promise<EnrichmentOutcome>;
  /** Throws a problem if the URL is not a profile's; queries no source. */
  check(request: Omit<EnrichmentRequest, 'runId'>): Promise<void>;
}

export interface EnrichmentPorts {
  readonly credits: Pick<CreditPort, 'reserve' | 'release'>;
  readonly profiles: ProfilePort;
  /** The longest time that one lookup can take. */
  readonly attemptMsMax: number;
  /** Whether an error says that the account has too few credits. */
  readonly isExhausted: (error: unknown) => boolean;
}

export interface EnrichmentRequest {
  readonly accountId: AccountId;
  /** The id of the request, or of the first attempt if this one takes over from it. */
  readonly runId: RequestId;
  readonly profileUrl: string;
  readonly maxAgeSeconds?: number | undefined;
  /** Aborted when the customer disconnects: an undelivered answer is not charged. */
  readonly signal: AbortSignal;
}

export interface ChargedEnrichment {
  readonly found: EnrichmentOutcome;
  /** To be collected once the answer is delivered; absent if it is free or already paid. */
  readonly charge?: Charge | undefined;
  /** Credits that the account can spend after this request. */
  readonly creditsRemaining: number;
}

/** Looks up one profile for credits: reserves credits, then asks the sources. Only a found profile is charged. */
export async function enrichProfile(
  ports: EnrichmentPorts,
  request: EnrichmentRequest,
): Promise<ChargedEnrichment> {
  const { credits, profiles } = ports;
  const { accountId, runId } = request;
  const run = { accountId, runId, cause: 'profile-enrichment', amount: prices.profileEnrichment };
  const reserved = await reserveForRun(credits, run, ports.attemptMsMax).catch(async error => {
    // A request without a profile is refused for that, not for the lack of credits.
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
    // If this fails too, the hold expires; the customer sees the first failure.
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
    // The credits return when the hold expires; the balance already counts them.
    .catch(() => reserved.available + prices.profileEnrichment);
  return { found, creditsRemaining };
}
