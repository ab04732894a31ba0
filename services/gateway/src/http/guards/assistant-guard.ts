import { type Guard, Problem, unavailable } from '@mailproof/service-kit';
import {
  type AssistantOwner,
  assistantOwner,
  assistantRefusals,
  type Operation,
} from '@mailproof/shared-types';
import type { Request } from 'express';
import type { Account } from '../../domain/accounts/account.ts';
import { type FindAssistantGrounds, judgeAssistantAccess } from '../../domain/assistants/assistant-access.ts';
import type { AdmitAccount } from './admit-account.ts';

export interface AssistantGuardOptions {
  /** Checks the token of the tool server. */
  readonly guardOf: (twin: Operation) => Guard<unknown>;
  readonly findGrounds: FindAssistantGrounds;
  readonly admit: AdmitAccount;
}

/**
 * Lets in what the tool server asks for a user's assistant. It takes the place of the API-key guard before the same
 * route: the user's membership, the account's plan and its active key are looked up for each request, which counts in
 * the same rate window (ADR 0026).
 */
export function createAssistantGuard(options: AssistantGuardOptions): (twin: Operation) => Guard<Account> {
  return twin => {
    const guard = options.guardOf(twin);
    return async (request, response) => {
      await guard(request, response);
      const { accountId, userId } = takeOwner(request);
      const access = judgeAssistantAccess(
        await options.findGrounds(accountId, userId).catch(cause => {
          throw unavailable('Assistants cannot be checked right now.', cause);
        }),
      );
      if (access.kind === 'refused') {
        throw new Problem('assistant_refused', { detail: assistantRefusals[access.reason] });
      }
      await options.admit(access.account, response);
      return access.account;
    };
  };
}

/** Takes the account and the user out of the path's parameters: the route gets those of the public operation alone. */
function takeOwner(request: Request): AssistantOwner {
  const { accountId, userId, ...params } = request.params;
  const owner = assistantOwner.safeParse({ accountId, userId });
  if (!owner.success) {
    throw new Problem('invalid_request', { detail: 'The path names no account and no user.' });
  }
  request.params = params;
  return owner.data;
}
