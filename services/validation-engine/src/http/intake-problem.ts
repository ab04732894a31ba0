import { Problem } from '@mailproof/service-kit';
import { IntakeFault } from '../domain/intake/intake-fault.ts';

/** Turns what is wrong with rows that come in into a problem. */
export async function orIntakeProblem<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof IntakeFault
      ? new Problem(error.code, { detail: error.message, cause: error })
      : error;
  }
}
