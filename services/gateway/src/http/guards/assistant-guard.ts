import { type Guard, Problem, unavailable } from '@mailproof/service-kit';
import {
  type AssistantOwner,
  assistantOwner,
  assistantRefusals,
  type Operation,
} from '@mailproof/shared-types';
import type { Request } from 'express';
import { type FindAssistantGrounds, judgeAssistantAccess } from '../../domain/assistants/assistant-access.ts';
import type { AdmitAccount } from './api-key-guard.ts';
import type { ProgramCaller } from './gateway-callers.ts';

export interface AssistantGuardOptions {
  /** Checks the tool server's token. */
  readonly guardOf: (twin: Operation) => Guard<unknown>;
  readonly findGrounds: FindAssistantGrounds;
  readonly admit: AdmitAccount;
}

/**
 * Admits requests of the tool server for a user's assistant. Guards the same routes as the API-key guard. For each
 * request, it looks up the user's membership, the account's plan and its active key, and counts the request in the same
 * rate window (ADR 0026).
 */
export function createAssistantGuard(
  options: AssistantGuardOptions,
): (twin: Operation) => Guard<ProgramCaller> {
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
      return { ...access.account, isAssistant: true };
    };
  };
}

/** Removes the account and the user from the path parameters: the route gets only those of the public operation. */
function takeOwner(request: Request): AssistantOwner {
  const { accountId, userId, ...params } = request.params;
  const owner = assistantOwner.safeParse({ accountId, userId });
  if (!owner.success) {
    throw new Problem('invalid_request', { detail: 'The path must name an account and a user.' });
  }
  request.params = params;
  return owner.data;
}
