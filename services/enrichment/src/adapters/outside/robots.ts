import { createRequire } from 'node:module';
import { type Outside, OutsideFault } from '@mailproof/service-kit';
import type { PageAccess } from './public-page-source.ts';

interface Rules {
  isAllowed(url: string, userAgent: string): boolean | undefined;
}

/** A CommonJS package whose declared types are those of a module. */
const robotsParser = createRequire(import.meta.url)('robots-parser') as (url: string, text: string) => Rules;

export interface RobotsOptions {
  readonly outside: Outside;
  readonly userAgent: string;
  /** What robots.txt calls us. */
  readonly programName: string;
  readonly now: () => Date;
}

/** RFC 9309 section 2.5: at least 500 kibibytes have to be read. */
const textBytesMax = 512_000;
const deadlineMs = 5_000;
/** RFC 9309 section 2.3.1.2: at least five redirects are followed. */
const redirectsMax = 5;
/** RFC 9309 section 2.4: not longer than a day. */
const keptMs = 6 * 3_600_000;
/** What could not be read is tried again soon. */
const failureKeptMs = 60_000;
/** What is kept at once: origins, and octets of their rules, which many hosts could otherwise fill our memory with. */
const originsMax = 1_000;
const keptBytesMax = 16_000_000;

type Access = (url: URL) => PageAccess;

/** Says what the robots.txt of a page's origin allows, and keeps it for some hours (RFC 9309). */
export function createRobots(options: RobotsOptions): (url: URL, signal: AbortSignal) => Promise<PageAccess> {
  const { now } = options;
  const known = new Map<string, { readonly access: Access; readonly untilMs: number }>();
  let keptBytes = 0;
  return async (url, signal) => {
    const kept = known.get(url.origin);
    if (kept && kept.untilMs > now().getTime()) {
      return kept.access(url);
    }
    const { access, isFailure, bytes } = await readRobots(options, url.origin, signal);
    if (known.size >= originsMax || keptBytes + bytes > keptBytesMax) {
      known.clear();
      keptBytes = 0;
    }
    keptBytes += bytes;
    known.set(url.origin, { access, untilMs: now().getTime() + (isFailure ? failureKeptMs : keptMs) });
    return access(url);
  };
}

async function readRobots(
  { outside, userAgent, programName }: RobotsOptions,
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
      // Larger than anybody has to read, and so of nobody who means it; the rest cannot be known (section 2.3.1.4).
      return error instanceof OutsideFault ? answer('unknown', true) : Promise.reject(error);
    }
    const { status, headers, body } = got;
    if (status >= 300 && status < 400) {
      url = URL.parse(headers['location'] ?? '', url.href);
      continue;
    }
    if (status >= 500 || status === 429) {
      return answer('unknown', true);
    }
    // Section 2.3.1.3: what is not there forbids nothing.
    if (status !== 200) {
      return answer('allowed');
    }
    const rules = robotsParser(`${origin}/robots.txt`, new TextDecoder().decode(body));
    return {
      access: page => (rules.isAllowed(page.href, programName) === false ? 'forbidden' : 'allowed'),
      isFailure: false,
      bytes: body.length,
    };
  }
  return answer('allowed');
}
