import { Problem } from '@mailproof/service-kit';
import {
  accountHeader,
  accountParameter,
  type Operation,
  sandboxAccountOf,
  takesAccountParameter,
} from '@mailproof/shared-types';
import type { Request } from 'express';
import type { Account } from '../../domain/accounts/account.ts';

/**
 * The account that a request is for: the caller's own, or its sandbox if the request names it and the operation has one
 * (ADR 0073). Pages and assistants name accounts; a request that names none passes. Refuses every other account: a tab
 * left open while another tab signs in as another user would show one account's data at the other account's address
 * (ADR 0057).
 */
export function namedAccount<Own extends Account>(operation: Operation, request: Request, account: Own): Own {
  const named = [
    request.get(accountHeader),
    takesAccountParameter(operation) ? request.query[accountParameter] : undefined,
  ];
  const sandbox = sandboxAccountOf(account.accountId);
  const isSandbox = operation.sandbox === true && named.includes(sandbox);
  const accountId = isSandbox ? sandbox : account.accountId;
  if (named.some(each => each !== undefined && each !== accountId)) {
    throw new Problem('other_account');
  }
  return { ...account, accountId };
}
