import type { Operation } from '../operation.ts';
import { createHold, getBalance, grantCredits, releaseHold, settleHold } from './internal/ledger.ts';
import { recordDoNotProbeRequest } from './internal/record-do-not-probe-request.ts';
import { recordOutcomes } from './internal/record-outcomes.ts';
import { validateAddress } from './internal/validate-address.ts';
import { getMe } from './public/get-me.ts';
import { requestDoNotProbe } from './public/request-do-not-probe.ts';
import { uploadOutcomes } from './public/upload-outcomes.ts';
import { validateSingleEmail } from './public/validate-single-email.ts';

/** The public REST interface, version 1, and what customers may use of the application's. */
export const publicOperations = [
  getMe,
  validateSingleEmail,
  requestDoNotProbe,
  uploadOutcomes,
] as const satisfies readonly Operation[];

/** What the credit ledger answers to its peers. */
export const ledgerOperations = [
  getBalance,
  grantCredits,
  createHold,
  settleHold,
  releaseHold,
] as const satisfies readonly Operation[];

/** What the validation engine answers to its peers. */
export const engineOperations = [
  validateAddress,
  recordDoNotProbeRequest,
  recordOutcomes,
] as const satisfies readonly Operation[];
