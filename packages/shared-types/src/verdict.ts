import { z } from 'zod';
import { type VerdictReason, verdictReasons } from './verdict-reasons.ts';

export * from './verdict-reasons.ts';

/** What is said of an address (specification, "Email validation result"). */
export const validationResults = ['ok', 'catch_all_validated', 'catch_all', 'invalid', 'unknown'] as const;

export type ValidationResult = (typeof validationResults)[number];

export const validationResult = z
  .enum(validationResults)
  .describe(
    '`ok`: the address is valid. `catch_all_validated`: the domain accepts every recipient, and evidence confirms this one. `catch_all`: the domain accepts every recipient and this one could not be confirmed. `invalid`: mail to the address will not arrive. `unknown`: we could not tell; costs nothing.',
  );

export const verdictReason = z.enum(Object.keys(verdictReasons) as [VerdictReason, ...VerdictReason[]]);

/** Kinds of address, by its domain. */
export const emailTypes = ['business', 'personal', 'education', 'government', 'disposable'] as const;

export type EmailType = (typeof emailTypes)[number];

/** True for the results that one may send to. */
export function isDeliverable(result: ValidationResult): boolean {
  return result === 'ok' || result === 'catch_all_validated';
}

/** True where the account pays: `unknown` is not a validated address, so it is free. */
export function isCharged(result: ValidationResult): boolean {
  return result !== 'unknown';
}
