import type { OperationClient, Peers } from '@mailproof/service-kit';
import {
  type AccountId,
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
  sandboxAccountOf,
} from '@mailproof/shared-types';
import type { AccountShare } from '../../domain/accounts/account-export.ts';
import type { DeletionPart, EndPortion } from '../../domain/accounts/delete-account.ts';

/** For a page of an export, or a portion of a deletion. */
const options = { deadlineMs: 15_000 };

/** The operations that export each service's data about an account. */
const exportOperations = [
  exportAccountCredits,
  exportAccountOutcomes,
  exportAccountAssistants,
  exportAccountProfiles,
  exportAccountExports,
] as const;

export function accountShares(peers: Peers<'gateway'>): readonly AccountShare[] {
  const shareOf = (
    operation: (typeof exportOperations)[number],
    idOf: (accountId: AccountId) => AccountId,
  ): AccountShare => ({
    service: operation.answeredBy,
    readPage: (accountId, cursor) =>
      peers[operation.answeredBy].call(
        operation,
        { params: { accountId: idOf(accountId) }, query: { cursor }, body: undefined },
        options,
      ),
  });
  return [
    ...exportOperations.map(operation => shareOf(operation, accountId => accountId)),
    ...[exportAccountOutcomes, exportAccountProfiles, exportAccountExports].map(operation =>
      shareOf(operation, sandboxAccountOf),
    ),
  ];
}

/** Each service's part of an account deletion, over HTTP. */
export function createEndPortions(peers: Peers<'gateway'>): Readonly<Record<DeletionPart, EndPortion>> {
  const request = (accountId: AccountId) => ({ params: {}, body: { accountId } });
  const portionsOf =
    (client: OperationClient, operation: ForgetInPortions): EndPortion =>
    async accountId =>
      (await client.call(operation, request(accountId), options)).remaining;
  const withSandbox =
    (portion: EndPortion): EndPortion =>
    async accountId =>
      (await portion(accountId)) || portion(sandboxAccountOf(accountId));
  return {
    async credits_closed(accountId) {
      await peers['credit-ledger'].call(closeAccountCredits, request(accountId), options);
      return false;
    },
    async assistants_forgotten(accountId) {
      await peers['mcp-server'].call(forgetAccountAssistants, request(accountId), options);
      return false;
    },
    outcomes_forgotten: withSandbox(portionsOf(peers['validation-engine'], forgetAccountOutcomes)),
    profiles_forgotten: withSandbox(portionsOf(peers.enrichment, forgetAccountProfiles)),
    exports_forgotten: withSandbox(portionsOf(peers['webhook-dispatcher'], forgetAccountExports)),
  };
}

type ForgetInPortions =
  | typeof forgetAccountOutcomes
  | typeof forgetAccountProfiles
  | typeof forgetAccountExports;
