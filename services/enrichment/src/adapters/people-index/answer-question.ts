import { type KnownValues, unknownValues } from '../../domain/people-search/check-filters.ts';
import type { Dictionary } from '../../domain/people-search/columns/column.ts';
import type { PeopleColumns } from '../../domain/people-search/columns/people-columns.ts';
import { countPeople, mostFrequent, pagePeople } from '../../domain/people-search/columns/search-people.ts';
import { countryName } from '../../domain/people-search/labels.ts';
import { readOtherNames } from '../../domain/people-search/other-names.ts';
import { UnknownFilterValues } from '../../domain/people-search/people-index.ts';
import type { Answer, Question, QuestionKind, Questions } from './thread-messages.ts';

/** Answers a question synchronously; an abandoned question costs nothing. */
export function answerQuestion(
  question: Question,
  columns: PeopleColumns | undefined,
  nowMs: number,
): Answer {
  if (nowMs > question.deadlineAtMs) {
    return { outcome: 'late' };
  }
  if (!columns) {
    return { outcome: 'loading' };
  }
  try {
    return answerFrom(columns, question);
  } catch (error) {
    return { outcome: 'failed', error: error as Error };
  }
}

/** Answers a question where it is asked, from columns with few records. Throws `UnknownFilterValues`. */
export function ask<Kind extends QuestionKind>(
  columns: PeopleColumns,
  kind: Kind,
  asked: Questions[Kind]['ask'],
): Questions[Kind]['answer'] {
  const answer = answerFrom(columns, { kind, id: 0, deadlineAtMs: 0, ...asked } as Question);
  if (answer.outcome === 'unknown_values') {
    throw new UnknownFilterValues(answer.values);
  }
  return answer.answer as Questions[Kind]['answer'];
}

/** Answers a question from columns. Throws if they are inconsistent. */
export function answerFrom(
  columns: PeopleColumns,
  question: Question,
): Extract<Answer, { outcome: 'answered' | 'unknown_values' }> {
  if (question.kind === 'vocabulary') {
    return { outcome: 'answered', answer: vocabularyOf(columns) };
  }
  const known = {
    industries: knownIn(columns.companies.industries),
    countries: knownIn(columns.countries, code => [code, countryName(code)]),
    regions: knownIn(columns.regions),
    cities: knownIn(columns.cities),
  };
  const { filters, read } = readOtherNames(question.filters, known);
  const values = unknownValues(question.filters, known, read);
  if (values.length > 0) {
    return { outcome: 'unknown_values', values };
  }
  if (question.kind === 'page') {
    return { outcome: 'answered', answer: pagePeople(columns, filters, question) };
  }
  const counts = countPeople(columns, filters, question);
  return { outcome: 'answered', answer: read.length > 0 ? { ...counts, read } : counts };
}

function knownIn(dictionary: Dictionary, wordsOf = (value: string) => [value]): KnownValues {
  return {
    has: value => (dictionary.find(value) ?? 0) !== 0,
    *all() {
      for (const value of dictionary.values.slice(1)) {
        yield wordsOf(value);
      }
    },
  };
}

/** Returns all countries and industries: there are a few hundred of each. */
function vocabularyOf(columns: PeopleColumns): Questions['vocabulary']['answer'] {
  const { companies, countries } = columns;
  const byCountry = new Uint32Array(countries.size);
  const byIndustry = new Uint32Array(companies.industries.size);
  for (let row = 0; row < columns.rows; row += 1) {
    if (columns.gone.numbers[row] === 0) {
      (byCountry[columns.country.numbers[row] ?? 0] as number) += 1;
      (byIndustry[companies.industry.numbers[columns.company.numbers[row] ?? 0] ?? 0] as number) += 1;
    }
  }
  return {
    industries: mostFrequent(byIndustry, companies.industries.values, vocabularyMax),
    countries: mostFrequent(byCountry, countries.values, vocabularyMax),
  };
}

const vocabularyMax = 1_000;

/**
 * Processes one item per turn of the event loop, in order of arrival. Node delivers up to a thousand messages of a port
 * in one turn, including those that arrive meanwhile. If each takes a while, timers and sockets would get no turn as
 * long as questions keep coming.
 */
export function oneEachTurn<Item>(take: (item: Item) => void): (item: Item) => void {
  const waiting: Item[] = [];
  function takeFirst(): void {
    const [first] = waiting.splice(0, 1) as [Item];
    if (waiting.length > 0) {
      setImmediate(takeFirst);
    }
    take(first);
  }
  return item => {
    waiting.push(item);
    if (waiting.length === 1) {
      setImmediate(takeFirst);
    }
  };
}
