import { Problem, unavailable } from '@mailproof/service-kit';
import { PeopleIndexUnavailable, UnknownFilterValues } from '../domain/people-search/people-index.ts';

const valuesShownMax = 20;

/**
 * Answers by way of the index of people. What it refuses becomes a problem; `pointer` is where the request has its
 * filters.
 */
export async function answeringFromIndex<Result>(
  pointer: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UnknownFilterValues) {
      const errors = error.values.map(value => ({
        pointer: `${pointer}${value.pointer}`,
        detail: `\`${value.value}\` is not known; ${value.isWhole ? 'one of' : 'nearest are'} ${value.known.slice(0, valuesShownMax).join(', ')}.`,
      }));
      throw new Problem('unknown_filter_value', {
        detail: errors.map(each => `${each.pointer}: ${each.detail}`).join(' '),
        extra: { errors },
      });
    }
    if (error instanceof PeopleIndexUnavailable) {
      throw unavailable(error.detail, error, error.retryAfterSeconds);
    }
    throw error;
  }
}
