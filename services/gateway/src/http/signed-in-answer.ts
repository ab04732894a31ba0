import type { getSession, OperationResult } from '@mailproof/shared-types';
import type { SignedIn } from '../domain/accounts/signed-in.ts';

/** Who has signed in, in the contract's names. */
export function signedInAnswer(signedIn: SignedIn): OperationResult<typeof getSession> {
  const { account, userId, sessionId, email, role } = signedIn;
  return {
    user_id: userId,
    email,
    role,
    account: { account_id: account.accountId, name: account.name, plan: account.plan },
    session_id: sessionId,
  };
}
