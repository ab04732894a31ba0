import { type Guard, Problem, type Sealer, unavailable } from '@mailproof/service-kit';
import {
  type AssistantOwner,
  assistantOwner,
  assistantRefusals,
  type Operation,
  type UserId,
} from '@mailproof/shared-types';
import type { Request } from 'express';
import type { Account } from '../../domain/accounts/account.ts';
import { type FindAssistantGrounds, judgeAssistantAccess } from '../../domain/assistants/assistant-access.ts';
import { listCursorsOf } from '../page-cursors.ts';
import type { AdmitAccount } from './api-key-guard.ts';
import type { AccountGuard, ProgramCaller } from './gateway-callers.ts';
import { namedAccount } from './named-account.ts';

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
    const admit = admission(options, twin);
    return async (request, response) => {
      const { account } = await admit(request, response);
      return { ...account, isAssistant: true };
    };
  };
}

/**
 * Does the same for the application's operations that tools use (ADR 0079). The user who connected the assistant is the
 * caller. The tool server can name the account's sandbox, as a page can (ADR 0073).
 */
export function createAssistantAccountGuard(
  options: AssistantGuardOptions,
  cursorSealer: Sealer,
): AccountGuard {
  return twin => {
    const admit = admission(options, twin);
    return async (request, response) => {
      const { account: owner, userId } = await admit(request, response);
      const account = namedAccount(twin, request, owner);
      return { account, userId, cursors: listCursorsOf(cursorSealer, account, twin) };
    };
  };
}

interface AdmittedAssistant {
  readonly account: Account;
  readonly userId: UserId;
}

function admission(
  { guardOf, findGrounds, admit }: AssistantGuardOptions,
  twin: Operation,
): Guard<AdmittedAssistant> {
  const guard = guardOf(twin);
  return async (request, response) => {
    await guard(request, response);
    const { accountId, userId } = takeOwner(request);
    const access = judgeAssistantAccess(
      await findGrounds(accountId, userId).catch(cause => {
        throw unavailable('Assistants cannot be checked right now.', cause);
      }),
    );
    if (access.kind === 'refused') {
      throw new Problem('assistant_refused', { detail: assistantRefusals[access.reason] });
    }
    await admit(access.account, response);
    return { account: access.account, userId };
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
