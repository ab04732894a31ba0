import type { ToolUsage } from '@mailproof/shared-types';
import type { RestAnswer } from './ask-as-account.ts';

/** Reads from the answer's headers what is left. What is missing or no whole number is null: it is not known. */
export function usageOf(headers: RestAnswer['headers'], creditsConsumed: number | null): ToolUsage {
  const rateLimitReset = wholeNumber(headers['x-ratelimit-reset']);
  return {
    creditsRemaining: wholeNumber(headers['x-credits-remaining']),
    creditsConsumed,
    rateLimitLimit: wholeNumber(headers['x-ratelimit-limit']),
    rateLimitRemaining: wholeNumber(headers['x-ratelimit-remaining']),
    rateLimitReset,
    rateLimitResetAt: isoTime(rateLimitReset),
  };
}

function wholeNumber(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** A moment outside the range of dates (ECMA-262, "Time Values") has no such form. */
function isoTime(unixMs: number | null): string | null {
  return unixMs === null || unixMs > 8.64e15 ? null : new Date(unixMs).toISOString();
}
