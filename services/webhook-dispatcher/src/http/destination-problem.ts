import { Problem } from '@mailproof/service-kit';
import { DestinationFault } from '../domain/push/begin-push.ts';

/** Turns a destination that is not valid into its problem, whose errors point into the body and repeat nothing of it. */
export async function orDestinationProblem<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof DestinationFault) {
      throw new Problem('destination_not_valid', {
        extra: {
          errors: error.issues.map(({ path, message }) => ({
            pointer: `/destination/${path.replaceAll('.', '/')}`,
            detail: message,
          })),
        },
      });
    }
    throw error;
  }
}
