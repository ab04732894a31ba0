/** The limiter's decision about one request. */
export interface RateDecision {
  readonly admitted: boolean;
  readonly limit: number;
  /** Requests left in the current window. */
  readonly remaining: number;
  /** When the oldest counted request leaves the window, in Unix milliseconds. */
  readonly resetAtMs: number;
  /** Time until `resetAtMs` by the limiter's own clock, in milliseconds. */
  readonly resetInMs: number;
}

/** Counts requests in an exact sliding window that all replicas share. Refused requests are not counted. */
export interface RateLimiter {
  /** `requestId` identifies a counted request; `windowMs` is the length of the window. */
  admit(subject: string, requestId: string, limit: number, windowMs: number): Promise<RateDecision>;
  /** Uncounts an admitted request. */
  uncount(subject: string, requestId: string): Promise<void>;
  /** Uncounts every request of a subject. */
  forget(subject: string): Promise<void>;
}
