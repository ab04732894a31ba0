import type { OperationClient } from '@mailproof/service-kit';
import {
  closeAccountCredits,
  exportAccountAssistants,
  exportAccountCredits,
  exportAccountExports,
  exportAccountOutcomes,
  exportAccountProfiles,
  forgetAccountAssistants,
  forgetAccountExports,
  forgetAccountOutcomes,
  forgetAccountProfiles,
} from '@mailproof/shared-types';
import type { AccountShare } from '../../domain/accounts/account-export.ts';
import type { AccountSharesPort } from '../../domain/accounts/delete-account.ts';

/** A page of an export, or a portion of a deletion. */
const callDeadlineMs = 15_000;

/** What the other services keep of accounts, over HTTP. */
export function createAccountShares(
  ledger: OperationClient,
  engine: OperationClient,
  toolServer: OperationClient,
  enrichment: OperationClient,
  dispatcher: OperationClient,
): AccountSharesPort & { readonly shares: readonly AccountShare[] } {
  const options = { deadlineMs: callDeadlineMs };
  return {
    shares: [
      {
        service: 'credit-ledger',
        readPage: (accountId, cursor) =>
          ledger.call(
            exportAccountCredits,
            { params: { accountId }, query: { cursor }, body: undefined },
            options,
          ),
      },
      {
        service: 'validation-engine',
        readPage: (accountId, cursor) =>
          engine.call(
            exportAccountOutcomes,
            { params: { accountId }, query: { cursor }, body: undefined },
            options,
          ),
      },
      {
        service: 'mcp-server',
        readPage: (accountId, cursor) =>
          toolServer.call(
            exportAccountAssistants,
            { params: { accountId }, query: { cursor }, body: undefined },
            options,
          ),
      },
      {
        service: 'enrichment',
        readPage: (accountId, cursor) =>
          enrichment.call(
            exportAccountProfiles,
            { params: { accountId }, query: { cursor }, body: undefined },
            options,
          ),
      },
      {
        service: 'webhook-dispatcher',
        readPage: (accountId, cursor) =>
          dispatcher.call(
            exportAccountExports,
            { params: { accountId }, query: { cursor }, body: undefined },
            options,
          ),
      },
    ],
    async closeCredits(accountId) {
      await ledger.call(closeAccountCredits, { params: {}, body: { accountId } }, options);
    },
    async forgetOutcomes(accountId) {
      const request = { params: {}, body: { accountId } };
      return (await engine.call(forgetAccountOutcomes, request, options)).remaining;
    },
    async forgetAssistants(accountId) {
      await toolServer.call(forgetAccountAssistants, { params: {}, body: { accountId } }, options);
    },
    async forgetProfiles(accountId) {
      const request = { params: {}, body: { accountId } };
      return (await enrichment.call(forgetAccountProfiles, request, options)).remaining;
    },
    async forgetExports(accountId) {
      const request = { params: {}, body: { accountId } };
      return (await dispatcher.call(forgetAccountExports, request, options)).remaining;
    },
  };
}
