import type { Schema } from '../../api/client.ts';
import type { ProblemError } from '../../api/problem.ts';

export type Question = Schema['LookalikeQuestion'];
export type Filters = Schema['CompanyFilters'];
export type View = Schema['LookalikeSearchView'];

export const emptyQuestion: Question = { seed_domains: [], unlike_domains: [], filters: {} };

export type Candidate = View['preview'][number];
export type Company = Schema['PaidCompany'];

/** Whether a company was paid for, so that all that is known of it is there. */
export function isPaid(company: Candidate): company is Company {
  return 'categories' in company;
}

/** What a search asks, as it can be asked again. */
export function questionOf({ seed_domains, unlike_domains, filters }: View): Question {
  return { seed_domains, unlike_domains, filters };
}

/** The filters with one of them set otherwise; one without values is none. */
export function withFilter(filters: Filters, name: keyof Filters, values: readonly string[]): Filters {
  const { [name]: _before, ...rest } = filters;
  return values.length > 0 ? { ...rest, [name]: [...values] } : rest;
}

/** The question with a company as a further seed. */
export function moreLike(question: Question, domain: string): Question {
  return {
    ...question,
    seed_domains: withOnce(question.seed_domains, domain),
    unlike_domains: question.unlike_domains.filter(each => each !== domain),
  };
}

/** The question with a company that matches should be unlike. */
export function lessLike(question: Question, domain: string): Question {
  return {
    ...question,
    seed_domains: question.seed_domains.filter(each => each !== domain),
    unlike_domains: withOnce(question.unlike_domains, domain),
  };
}

/** The question with a company that is not wanted. */
export function without(question: Question, domain: string): Question {
  const excluded = withOnce(question.filters.excluded_domains ?? [], domain);
  return { ...question, filters: withFilter(question.filters, 'excluded_domains', excluded) };
}

function withOnce(domains: readonly string[], domain: string): string[] {
  return [...domains.filter(each => each !== domain), domain];
}

/** What the API says is wrong with each of the domains that were sent under a member such as `seed_domains`. */
export function domainFaults(
  problem: ProblemError | undefined,
  member: 'seed_domains' | 'unlike_domains',
  domains: readonly string[],
): ReadonlyMap<string, string> {
  const faults = new Map<string, string>();
  for (const { pointer, detail } of problem?.faults ?? []) {
    const [, name, index] = pointer.split('/');
    const domain = name === member && index !== undefined ? domains[Number(index)] : undefined;
    if (domain !== undefined) faults.set(domain, detail);
  }
  return faults;
}

/** A question as it is to become of the one that was asked before. */
export type QuestionChange = (question: Question) => Question;

/** What became of a company that a search names, where it is of no use. */
export const unusedWords = {
  not_found: 'not in the store',
  too_little_text: 'too few words known about it',
} as const;
