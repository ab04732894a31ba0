import { catchAllPostfix, postfix } from './catalog/servers.ts';
import { catchAll, exists, missing } from './catalog/verdicts.ts';
import type { Catalog, DomainScript, ExpectedVerdict } from './script.ts';

type BenchmarkCatalogOptions = {
  readonly domains: number;
  /** The number of addresses across all domains; every domain has at least one. */
  readonly addresses: number;
  /** The share of catch-all domains, from 0 to 1; a third if omitted. */
  readonly catchAllShare?: number;
  /** The share of addresses at other domains that do not exist, from 0 to 1; a fifth if omitted. */
  readonly missingShare?: number;
  /** The same seed gives the same catalog. */
  readonly seed: number;
};

/**
 * Synthetic domains for benchmarks, each with one host. Their sizes follow Zipf's law, as in real
 * contact lists: a few domains hold many addresses and most hold very few. The addresses to validate
 * are the expected verdicts.
 *
 * @throws RangeError when there are fewer addresses than domains
 */
export function benchmarkCatalog(options: BenchmarkCatalogOptions): Catalog {
  const { domains, addresses, catchAllShare = 1 / 3, missingShare = 1 / 5, seed } = options;
  if (addresses < domains) throw new RangeError('Every benchmark domain needs an address.');
  const random = seededRandom(seed);
  return zipfSizes(domains, addresses).map((size, index) => {
    const domain = `bench-${index + 1}.test`;
    const locals = Array.from(
      { length: size },
      (_, mailbox) => `${words[mailbox % words.length]}.${mailbox + 1}`,
    );
    if (random() < catchAllShare) {
      const story = 'A synthetic domain that accepts every recipient.';
      return benchmarkDomain(
        domain,
        story,
        catchAllPostfix(),
        locals.map(local => catchAll(`${local}@${domain}`)),
      );
    }
    const existing = new Set(locals.filter(() => random() >= missingShare));
    const expected = locals.map(local => (existing.has(local) ? exists : missing)(`${local}@${domain}`));
    return benchmarkDomain(
      domain,
      'A synthetic domain that knows its mailboxes.',
      postfix([...existing]),
      expected,
    );
  });
}

const words = ['ada', 'grace', 'alan', 'katherine', 'edsger', 'barbara', 'donald', 'radia'];

function benchmarkDomain(
  domain: string,
  story: string,
  script: ReturnType<typeof postfix>,
  expected: readonly ExpectedVerdict[],
): DomainScript {
  const host = `mx.${domain}`;
  return { domain, story, dns: { mx: [[10, host]] }, hosts: { [host]: script }, expected };
}

/** Splits a total into sizes proportional to 1/rank, each at least one, that add up exactly. */
function zipfSizes(count: number, total: number): number[] {
  const harmonic = Array.from({ length: count }, (_, index) => 1 / (index + 1)).reduce(
    (sum, term) => sum + term,
    0,
  );
  const spare = total - count;
  const sizes = Array.from({ length: count }, (_, index) => 1 + Math.floor(spare / ((index + 1) * harmonic)));
  let left = total - sizes.reduce((sum, size) => sum + size, 0);
  for (let index = 0; left > 0; index = (index + 1) % count, left--) sizes[index] = (sizes[index] ?? 0) + 1;
  return sizes;
}

/** Mulberry32: small, fast and good enough to spread test data. */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
