/** What is measured, and how its accounts are distributed. */
export type Subject = 'bare' | 'hold' | 'http';
export type Spread = 'hot' | 'spread';

/** One subject in one round. */
export interface Measurement {
  readonly round: number;
  readonly subject: Subject;
  readonly spread: Spread;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}
