import { type OperationClient, Problem } from '@mailproof/service-kit';
import {
  createHold,
  enrichProfile,
  getBalance,
  grantCredits,
  hasPaidHeaders,
  limits,
  openBillingCycle,
  recordOutcomes,
  releaseHold,
  settleHold,
  validateAddress,
} from '@mailproof/shared-types';
import type { HasPaid } from '../../domain/billing/billing-store.ts';
import type { CreditPort, CyclePort } from '../../domain/charging/credit-port.ts';
import type { ProfilePort } from '../../domain/charging/enrich-profile.ts';
import type { EnginePort } from '../../domain/charging/validate-single-email.ts';
import type { UploadPorts } from '../../domain/outcomes/upload-outcomes.ts';

/** The credit ledger over HTTP. */
export function createCreditLedgerClient(
  client: OperationClient,
  settings: { callDeadlineMs: number; holdExpiresInMs: number },
): CreditPort & CyclePort {
  const options = { deadlineMs: settings.callDeadlineMs };
  return {
    async available(accountId) {
      const balance = await client.call(getBalance, { params: { accountId }, body: undefined }, options);
      return balance.available;
    },
    async grant(body) {
      await client.call(grantCredits, { params: {}, body }, options);
    },
    async openCycle(body) {
      await client.call(openBillingCycle, { params: {}, body }, options);
    },
    async reserve({ accountId, runId, holdRunId, amount, cause }) {
      const body = {
        accountId,
        runId: holdRunId,
        amount,
        cause,
        requestId: runId,
        expiresInMs: settings.holdExpiresInMs,
      };
      return client.call(createHold, { params: {}, body }, options);
    },
    async settle(holdId, delivered) {
      try {
        const hold = await client.call(settleHold, { params: { holdId }, body: { delivered } }, options);
        return hold.available;
      } catch (error) {
        if (error instanceof Problem && error.code === 'hold_not_pending') {
          return undefined;
        }
        throw error;
      }
    },
    async release(holdId) {
      const hold = await client.call(releaseHold, { params: { holdId }, body: undefined }, options);
      return hold.available;
    },
  };
}

/** Transport time of an answer, added to the deadline of the service that gives it. */
const transportMs = 2_000;
/** Time for the engine to record one portion of an upload, including retries. */
const reportDeadlineMs = 30_000;

/** The validation engine over HTTP. */
export function createValidationEngineClient(
  client: OperationClient,
  deadlineMs: number,
  hasPaid: HasPaid,
): EnginePort & Pick<UploadPorts, 'report'> {
  return {
    validate: ({ accountId, email, signal }) =>
      client.call(
        validateAddress,
        { params: {}, body: { accountId, email: email.input, deadlineMs } },
        { deadlineMs: deadlineMs + transportMs, signal },
      ),
    async report(accountId, outcomes, signal) {
      const headers = hasPaidHeaders(await hasPaid(accountId));
      return client.call(
        recordOutcomes,
        { params: {}, body: { accountId, outcomes: [...outcomes] } },
        { deadlineMs: reportDeadlineMs, signal, headers },
      );
    },
  };
}

/** Time to check the suppressions and the store. */
const checkDeadlineMs = 5_000;
/** When it makes sense to ask a failed source again. */
const retryAfterSeconds = '30';

/** The enrichment service over HTTP, for lookups of profiles by URL. */
export function createProfilesClient(client: OperationClient): ProfilePort {
  const call = (
    { accountId, profileUrl, maxAgeSeconds, signal }: Parameters<ProfilePort['enrich']>[0],
    deadlineMs: number,
    onlyChecksUrl: boolean,
  ) =>
    client
      .call(
        enrichProfile,
        { params: {}, body: { accountId, profileUrl, maxAgeSeconds, deadlineMs, onlyChecksUrl } },
        { deadlineMs: deadlineMs + transportMs, signal },
      )
      .catch(error => {
        throw error instanceof Problem && error.code === 'profile_source_unavailable'
          ? new Problem(error.code, {
              ...(error.detail !== undefined && { detail: error.detail }),
              headers: { 'retry-after': retryAfterSeconds },
            })
          : error;
      });
  return {
    enrich: request => call(request, limits.profileDeadlineMs, false),
    check: async request => void (await call(request, checkDeadlineMs, true)),
  };
}
