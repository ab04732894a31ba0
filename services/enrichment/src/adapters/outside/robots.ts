import { type Outside, OutsideFault } from '@mailproof/service-kit';
import { readRobots } from '@mailproof/service-kit/public-pages';
import type { PageAccess } from './visit-page.ts';

export interface RobotsOptions {
  readonly outside: Outside;
  readonly userAgent: string;
  readonly now: () => Date;
}

/** RFC 9309 section 2.5: the parsing limit must be at least 500 kibibytes. */
const textBytesMax = 512_000;
const deadlineMs = 5_000;
/** RFC 9309 section 2.3.1.2: at least five redirects should be followed. */
const redirectsMax = 5;
/** RFC 9309 section 2.4: cache for at most a day. */
const keptMs = 6 * 3_600_000;
/** A failed fetch is retried soon. */
const failureKeptMs = 60_000;
/** Cache limits: origins, and bytes of their rules, which many hosts could otherwise fill our memory with. */
const originsMax = 1_000;
const keptBytesMax = 16_000_000;

type Access = (url: URL) => PageAccess;

/** Checks what the robots.txt of a page's origin allows, and caches it for some hours (RFC 9309). */
export function createRobots(options: RobotsOptions): (url: URL, signal: AbortSignal) => Promise<PageAccess> {
  const { now } = options;
  const known = new Map<string, { readonly access: Access; readonly untilMs: number }>();
  let keptBytes = 0;
  return async (url, signal) => {
    const kept = known.get(url.origin);
    if (kept && kept.untilMs > now().getTime()) {
      return kept.access(url);
    }
    const { access, isFailure, bytes } = await fetchRobots(options, url.origin, signal);
    if (known.size >= originsMax || keptBytes + bytes > keptBytesMax) {
      known.clear();
      keptBytes = 0;
    }
    keptBytes += bytes;
    known.set(url.origin, { access, untilMs: now().getTime() + (isFailure ? failureKeptMs : keptMs) });
    return access(url);
  };
}

async function fetchRobots(
  { outside, userAgent }: RobotsOptions,
  origin: string,
  signal: AbortSignal,
): Promise<{ access: Access; isFailure: boolean; bytes: number }> {
  const answer = (access: PageAccess, isFailure = false) => ({ access: () => access, isFailure, bytes: 0 });
  let url: URL | null = new URL('/robots.txt', origin);
  for (let redirects = 0; url !== null && redirects <= redirectsMax; redirects += 1) {
    let got: Awaited<ReturnType<Outside['request']>>;
    try {
      const headers = { 'user-agent': userAgent, accept: 'text/plain, */*;q=0.1' };
      got = await outside.request({ url, headers, deadlineMs, bytesMax: textBytesMax, signal });
    } catch (error) {
      signal.throwIfAborted();
      // Larger than a crawler must read (section 2.3.1.4), and probably not legitimate; treat the rest as unknown.
      return error instanceof OutsideFault ? answer('unknown', true) : Promise.reject(error);
    }
    const { status, headers, body } = got;
    if (status >= 300 && status < 400) {
      url = URL.parse(headers['location'] ?? '', url.href);
      continue;
    }
    const rules = readRobots(origin, status, body);
    return rules === undefined
      ? answer('unknown', true)
      : {
          access: page => (rules.allows(page.href) ? 'allowed' : 'forbidden'),
          isFailure: false,
          bytes: status === 200 ? body.length : 0,
        };
  }
  return answer('allowed');
}
