import { Problem, retryAfter } from '@mailproof/service-kit';
import { type AccountId, type OperationResult, plans, type viewProfile } from '@mailproof/shared-types';
import type { DeletionOutcome, DeletionRequest } from '../domain/accounts/delete-account.ts';
import type { SignedIn } from '../domain/accounts/signed-in.ts';
import { noSessionCookie } from './guards/browser.ts';
import type { GatewayHandlers } from './guards/gateway-callers.ts';
import type { SignedInCaller } from './guards/session-guard.ts';

export interface AccountHandlerPorts {
  readonly rename: (accountId: AccountId, name: string) => Promise<void>;
  /** Opens the account's export. */
  readonly open: (caller: SignedInCaller) => Promise<AsyncIterable<string>>;
  readonly requestDeletion: (request: DeletionRequest) => Promise<DeletionOutcome>;
}

/** The account: its profile, name, export and deletion. */
export function accountHandlers({ rename, open, requestDeletion }: AccountHandlerPorts) {
  return {
    viewProfile: async (_input, { caller }) => profileOf(caller),

    async renameAccount({ body }, { caller }) {
      await rename(caller.account.accountId, body.name);
      return profileOf({ ...caller, account: { ...caller.account, name: body.name } });
    },

    async exportAccount(_input, { caller, setHeader }) {
      const lines = await open(caller);
      setHeader('content-disposition', 'attachment; filename="account.ndjson"');
      return lines;
    },

    async deleteAccount({ body }, { caller, requestId, setHeader }) {
      const { client, ...signedIn } = caller;
      const { password, account_name: accountName } = body;
      const outcome = await requestDeletion({ signedIn, client, requestId, password, accountName });
      switch (outcome.kind) {
        case 'deleted':
          setHeader('set-cookie', noSessionCookie);
          return { deleted_at: outcome.at.toISOString() };
        case 'wrongPassword':
          throw new Problem('wrong_password');
        case 'locked':
          throw new Problem('signing_in_locked', { headers: retryAfter(outcome.retryInMs) });
        case 'gone':
          throw new Problem('not_signed_in');
        case 'nameDiffers':
          throw new Problem('account_name_differs');
      }
    },
  } satisfies Partial<GatewayHandlers>;
}

function profileOf({ account, userId, email, role }: SignedIn): OperationResult<typeof viewProfile> {
  const { title, apiAccess } = plans[account.plan];
  return {
    user_id: userId,
    email,
    role,
    account: {
      account_id: account.accountId,
      name: account.name,
      plan: account.plan,
      plan_title: title,
      api_access: apiAccess,
      requests_per_second: account.requestsPerSecond,
    },
  };
}
