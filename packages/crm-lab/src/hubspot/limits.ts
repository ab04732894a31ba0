import type { HubSpotFault } from './answers.ts';

/** HubSpot's call limits; its response headers report them. */
export interface HubSpotLimits {
  readonly callsPer10s: number;
  readonly searchesPerSecond: number;
  readonly callsPerDay: number;
}

/** The limit that a call exceeded, by HubSpot's name. */
export type LimitName = 'TEN_SECONDLY_ROLLING' | 'SECONDLY' | 'DAILY';

/** Counts the calls of an app at an account against the limits. */
export class CallWindows {
  limits: HubSpotLimits;
  readonly #now: () => Date;
  readonly #calls: number[] = [];
  readonly #searches: number[] = [];
  #today = 0;
  #day = '';

  constructor(limits: HubSpotLimits, now: () => Date) {
    this.limits = limits;
    this.#now = now;
  }

  /**
   * Counts a call, unless it exceeds a limit, which is returned. Searches have a separate limit and do not count toward
   * the others.
   */
  take(isSearch: boolean): LimitName | undefined {
    const now = this.#now();
    this.#turnDay(now);
    const window = isSearch ? this.#searches : this.#calls;
    const spanMs = isSearch ? 1_000 : 10_000;
    while (window[0] !== undefined && window[0] <= now.getTime() - spanMs) {
      window.shift();
    }
    if (this.#today >= this.limits.callsPerDay) {
      return 'DAILY';
    }
    if (window.length >= (isSearch ? this.limits.searchesPerSecond : this.limits.callsPer10s)) {
      return isSearch ? 'SECONDLY' : 'TEN_SECONDLY_ROLLING';
    }
    window.push(now.getTime());
    this.#today += 1;
    return undefined;
  }

  /** The headers in which HubSpot reports its limits; there are none for searches. */
  headers(isSearch: boolean): Record<string, string> {
    const { callsPer10s, callsPerDay } = this.limits;
    return isSearch
      ? {}
      : {
          'X-HubSpot-RateLimit-Daily': String(callsPerDay),
          'X-HubSpot-RateLimit-Daily-Remaining': String(Math.max(0, callsPerDay - this.#today)),
          'X-HubSpot-RateLimit-Interval-Milliseconds': '10000',
          'X-HubSpot-RateLimit-Max': String(callsPer10s),
          'X-HubSpot-RateLimit-Remaining': String(Math.max(0, callsPer10s - this.#calls.length)),
        };
  }

  #turnDay(now: Date): void {
    const day = now.toISOString().slice(0, 10);
    if (day !== this.#day) {
      this.#day = day;
      this.#today = 0;
    }
  }
}

export function limitFault(
  policyName: LimitName,
): HubSpotFault & { policyName: LimitName; errorType: string } {
  const words = { TEN_SECONDLY_ROLLING: 'ten_secondly_rolling', SECONDLY: 'secondly', DAILY: 'daily' };
  return {
    message: `You have reached your ${words[policyName]} limit.`,
    errorType: 'RATE_LIMIT',
    category: 'RATE_LIMITS',
    policyName,
  };
}
