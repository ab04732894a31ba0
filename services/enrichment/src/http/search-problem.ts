import { Problem, simulatedProblem } from '@mailproof/service-kit';
import { prices } from '@mailproof/shared-types';
import {
  PeopleIndexUnavailable,
  type UnknownFilterValue,
  UnknownFilterValues,
} from '../domain/people-search/people-index.ts';
import { SimulatedError } from '../domain/sandbox/simulated-errors.ts';

/**
 * Awaits an answer of the people index and turns its refusals into customer-facing problems. `pointer` points to the
 * filters in the request body.
 */
export async function orSearchProblem<Answer>(answer: Promise<Answer>, pointer: string): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    throw searchProblemOf(error, pointer);
  }
}

/** Returns the problem for an error of the people index; other errors unchanged. */
export function searchProblemOf(error: unknown, pointer: string): unknown {
  if (error instanceof SimulatedError) {
    return simulatedProblem(error.code, prices.savedPerson);
  }
  if (error instanceof PeopleIndexUnavailable) {
    return new Problem('search_not_ready', {
      detail: error.detail,
      headers: { 'retry-after': `${error.retryAfterSeconds}` },
      cause: error,
    });
  }
  if (error instanceof UnknownFilterValues) {
    return unknownFilterValues(error, pointer);
  }
  return error;
}

/** Lists values that are in no vocabulary, with the known ones; `pointer` points to the filters in the request body. */
export function unknownFilterValues(cause: UnknownFilterValues, pointer: string): Problem {
  const errors = cause.values.map(each => ({ pointer: pointer + each.pointer, detail: sentenceOf(each) }));
  return new Problem('unknown_filter_value', {
    detail: errors.map(each => `${each.pointer}: ${each.detail}`).join(' '),
    extra: { errors },
    cause,
  });
}

function sentenceOf({ value, known, isWhole }: UnknownFilterValue): string {
  const named = known.map(each => `"${each}"`).join(', ');
  if (isWhole) {
    return `"${value}" is not one of ${named}.`;
  }
  return known.length > 0
    ? `"${value}" is unknown; similar values: ${named}.`
    : `"${value}" is unknown, and there are no similar values.`;
}
