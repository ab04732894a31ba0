import { Problem, retryAfter } from '@mailproof/service-kit';
import { PasswordFault } from '../domain/users/password-rules.ts';
import { UserFault } from '../domain/users/user-fault.ts';

/** Awaits a user's request, and turns a refusal into its problem. */
export async function orProblem<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof PasswordFault) {
      throw new Problem('password_refused', { detail: error.message, cause: error });
    }
    if (error instanceof UserFault) {
      throw new Problem(error.code, {
        cause: error,
        ...(error.retryInMs !== undefined && { headers: retryAfter(error.retryInMs) }),
      });
    }
    throw error;
  }
}
