/** How long answers may be kept: what the zone says, within bounds that a mistaken or hostile zone cannot leave. */

const secondsMin = 5;
const positiveSecondsMax = 3_600;
const negativeSecondsMax = 300;

/** Records that came together live as long as the shortest-lived of them. */
export function positiveLifetime(ttls: readonly number[]): number {
  return bounded(Math.min(...ttls.map(readTtl)), positiveSecondsMax);
}

/**
 * The lesser of the SOA record's own TTL and its minimum field (RFC 2308 section 5). Without an SOA record nobody
 * says how long, so that it is not for long.
 */
export function negativeLifetime(
  soa: { readonly ttl: number; readonly minimum: number } | undefined,
): number {
  return bounded(
    soa === undefined ? 0 : Math.min(readTtl(soa.ttl), readTtl(soa.minimum)),
    negativeSecondsMax,
  );
}

/** A number with its highest bit set means zero (RFC 2181 section 8). */
function readTtl(ttl: number): number {
  return ttl > 0x7fff_ffff ? 0 : ttl;
}

function bounded(seconds: number, secondsMax: number): number {
  return Math.min(secondsMax, Math.max(secondsMin, seconds));
}
