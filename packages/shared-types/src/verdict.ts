import { z } from 'zod';
import { type VerdictReason, verdictReasons } from './verdict-reasons.ts';

export * from './verdict-reasons.ts';

/** The results of a validation (specification, "Email validation result"). */
export const validationResults = ['ok', 'catch_all_validated', 'catch_all', 'invalid', 'unknown'] as const;

export type ValidationResult = (typeof validationResults)[number];

export const validationResult = z
  .enum(validationResults)
  .describe(
    '`ok`: the address is valid. `catch_all_validated`: the domain accepts every recipient, and evidence confirms this one. `catch_all`: the domain accepts every recipient and this one could not be confirmed. `invalid`: mail to the address will not arrive. `unknown`: the check was inconclusive; free.',
  );

export const verdictReason = z.enum(Object.keys(verdictReasons) as [VerdictReason, ...VerdictReason[]]);

/** The kinds of addresses, determined by the domain. */
export const emailTypes = ['business', 'personal', 'education', 'government', 'disposable'] as const;

export type EmailType = (typeof emailTypes)[number];

/** Whether a customer can send mail to an address with this result. */
export function isDeliverable(result: ValidationResult): boolean {
  return result === 'ok' || result === 'catch_all_validated';
}

/** Whether the account pays: an `unknown` result does not count as a validation, so it is free. */
export function isCharged(result: ValidationResult): boolean {
  return result !== 'unknown';
}
