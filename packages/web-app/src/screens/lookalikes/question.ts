import type { Schema } from '../../api/client.ts';
import type { ProblemError } from '../../api/problem.ts';

export type Question = Schema['LookalikeQuestion'];
export type Filters = Schema['CompanyFilters'];
export type View = Schema['LookalikeSearchView'];
/** The companies that a search shows: the fetched ones, or the next matches. */
export type Shown = 'delivered' | 'preview';

export const emptyQuestion: Question = { seed_domains: [], unlike_domains: [], filters: {} };

export type Candidate = View['preview'][number];
export type Company = Schema['PaidCompany'];

/** Whether a company is paid for and therefore has all known fields. */
export function isPaid(company: Candidate): company is Company {
  return 'categories' in company;
}

/** Returns the seeds and filters of a search, in the form of a request. */
export function questionOf({ seed_domains, seed_text, unlike_domains, filters }: View): Question {
  return { seed_domains, ...(seed_text !== null && { seed_text }), unlike_domains, filters };
}

/** Returns the question with another text; a blank one is removed. */
export function withText({ seed_text: _before, ...question }: Question, text: string): Question {
  return text.trim() === '' ? question : { ...question, seed_text: text.trim() };
}

/** Returns the filters with one of them changed; a filter without values is removed. */
export function withFilter(filters: Filters, name: keyof Filters, values: readonly string[]): Filters {
  const { [name]: _before, ...rest } = filters;
  return values.length > 0 ? { ...rest, [name]: [...values] } : rest;
}

/** Returns the question with a company as another seed. */
export function moreLike(question: Question, domain: string): Question {
  return {
    ...question,
    seed_domains: withOnce(question.seed_domains, domain),
    unlike_domains: question.unlike_domains.filter(each => each !== domain),
  };
}

/** Returns the question with a company that matches should be unlike. */
export function lessLike(question: Question, domain: string): Question {
  return {
    ...question,
    seed_domains: question.seed_domains.filter(each => each !== domain),
    unlike_domains: withOnce(question.unlike_domains, domain),
  };
}

/** Returns the question with a company excluded. */
export function without(question: Question, domain: string): Question {
  const excluded = withOnce(question.filters.excluded_domains ?? [], domain);
  return { ...question, filters: withFilter(question.filters, 'excluded_domains', excluded) };
}

function withOnce(domains: readonly string[], domain: string): string[] {
  return [...domains.filter(each => each !== domain), domain];
}

/** Returns the API's error for each domain in a request member such as `seed_domains`. */
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

/** A change of a question: maps the previous question to the new one. */
export type QuestionChange = (question: Question) => Question;

/** Extracts the domains from typed or pasted text: domain names, URLs or email addresses, one or many, in any order. */
export function splitDomains(text: string): string[] {
  const parts = text.split(/[\s,;|"'<>()]+/u).filter(part => part !== '');
  return [...new Set(parts.map(domainOf))];
}

/** Returns what is wrong with a domain, as far as the page can check it without the API. */
export function domainFault(domain: string): string | undefined {
  const isDomain = /^(?!-)[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)+$/u.test(domain) && !/^[\d.]+$/.test(domain);
  return isDomain ? undefined : `${domain} is not a valid domain.`;
}

function domainOf(part: string): string {
  const address = part.replace(/^mailto:/i, '').replace(/[.!?]+$/u, '');
  try {
    const { hostname } = new URL(/^[a-z]+:\/\//i.test(address) ? address : `https://${address}`);
    return hostname.replace(/^www\./, '').replace(/\.$/, '');
  } catch {
    return address.toLowerCase();
  }
}
