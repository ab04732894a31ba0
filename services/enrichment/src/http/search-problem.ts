import { Problem } from '@mailproof/service-kit';
import {
  PeopleIndexUnavailable,
  type UnknownFilterValue,
  UnknownFilterValues,
} from '../domain/people-search/people-index.ts';

/**
 * Waits for an answer of the people index; what it refuses becomes the problem that customers see. `pointer` leads to the
 * filters in the body of the request.
 */
export async function orSearchProblem<Answer>(answer: Promise<Answer>, pointer: string): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    throw searchProblemOf(error, pointer);
  }
}

/** The problem of what the people index has thrown; anything else as it is. */
export function searchProblemOf(error: unknown, pointer: string): unknown {
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

/** Values that no vocabulary has, with those that it has; `pointer` leads to the filters in the body of the request. */
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
    return `"${value}" is none of ${named}.`;
  }
  return known.length > 0
    ? `"${value}" is not known; nearest to it: ${named}.`
    : `"${value}" is not known, and nothing is near it.`;
}
