import type { EvidencePorts, EvidenceSource } from './evidence-source.ts';
import type { SpareRequests } from './site/site-visit.ts';
import type { WebClient } from './web-client.ts';

/** Counts the HTTPS requests of an address, so that the look at the site may use those that other sources do not need. */
interface RequestCount {
  /** Runs a source with ports that count its requests. */
  counting<Result>(
    source: EvidenceSource,
    ports: EvidencePorts,
    run: (ports: EvidencePorts) => Promise<Result>,
  ): Promise<Result>;
  /** How many requests the other sources declare and have not made, once all of them have ended. */
  readonly left: SpareRequests;
}

/**
 * A directory declares two requests about an address, and makes the second only if it answers yes to the first. All
 * sources together make no more requests than they declare, and the directories' answers do not wait for the site.
 */
export function countSpareRequests(sources: readonly EvidenceSource[]): RequestCount {
  const others = sources.filter(isOther);
  let left = others.reduce((sum, { cost }) => sum + cost.httpsRequests, 0);
  let running = others.length;
  let tell = () => {};
  const ended = new Promise<void>(resolve => {
    tell = resolve;
  });
  const counted = (web: WebClient): WebClient => ({
    async get(request, deadline) {
      left -= 1;
      const outcome = await web.get(request, deadline);
      // Without a host, no request was made.
      left += outcome.kind === 'no_such_host' ? 1 : 0;
      return outcome;
    },
  });
  return {
    async counting(source, ports, run) {
      if (!isOther(source)) {
        return run(ports);
      }
      try {
        return await run({ ...ports, web: counted(ports.web) });
      } finally {
        running -= 1;
        if (running === 0) {
          tell();
        }
      }
    },
    async left() {
      if (running > 0) {
        await ended;
      }
      return Math.max(0, left);
    },
  };
}

function isOther({ id, cost }: EvidenceSource): boolean {
  return id !== 'published_on_site' && cost.httpsRequests > 0;
}
