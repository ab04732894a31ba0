import type { CompanyFilters } from '@mailproof/shared-types';
import { siteDomainOf } from './site-domain.ts';

/** What a lookalike search asks. Domains are registrable, each named once, in the order of the request. */
export interface SearchQuestion {
  readonly seedDomains: readonly string[];
  readonly unlikeDomains: readonly string[];
  readonly filters: CompanyFilters;
}

/** As a search keeps it, and as requests bring it. */
export interface WrittenQuestion {
  readonly seed_domains: readonly string[];
  readonly unlike_domains: readonly string[];
  readonly filters: CompanyFilters;
}

/** Something in a question that cannot be meant, by its JSON pointer into the request. */
export interface QuestionIssue {
  readonly pointer: string;
  readonly detail: string;
}

/** The question cannot be asked. */
export class QuestionFault extends Error {
  override readonly name = 'QuestionFault';
  readonly issues: readonly QuestionIssue[];

  constructor(issues: readonly QuestionIssue[]) {
    super('The question cannot be asked.');
    this.issues = issues;
  }
}

/** The question of a request. @throws QuestionFault where a text names no domain, or a domain is both like and unlike */
export function askedQuestion({ seed_domains, unlike_domains, filters }: WrittenQuestion): SearchQuestion {
  const issues: QuestionIssue[] = [];
  const domainsOf = (texts: readonly string[], pointer: string, refused?: ReadonlySet<string>) => {
    const domains = new Set<string>();
    for (const [index, text] of texts.entries()) {
      const domain = siteDomainOf(text);
      if (domain === undefined) {
        const detail = 'must be a company’s domain, such as example.com, or the address of its site';
        issues.push({ pointer: `${pointer}/${index}`, detail });
      } else if (refused?.has(domain)) {
        const detail = `${domain} is a seed too: matches cannot be both like and unlike it`;
        issues.push({ pointer: `${pointer}/${index}`, detail });
      } else {
        domains.add(domain);
      }
    }
    return domains;
  };
  const seeds = domainsOf(seed_domains, '/seed_domains');
  const unlike = domainsOf(unlike_domains, '/unlike_domains', seeds);
  const { excluded_domains, ...words } = filters;
  const excluded = excluded_domains && [...domainsOf(excluded_domains, '/filters/excluded_domains')];
  if (issues.length > 0) {
    throw new QuestionFault(issues);
  }
  return {
    seedDomains: [...seeds],
    unlikeDomains: [...unlike],
    filters: { ...words, ...(excluded && { excluded_domains: excluded }) },
  };
}

/** The question of a search, which was checked when it was asked. */
export function readQuestion(kept: unknown): SearchQuestion {
  const { seed_domains, unlike_domains, filters } = kept as WrittenQuestion;
  return { seedDomains: seed_domains, unlikeDomains: unlike_domains, filters };
}

export function writeQuestion({ seedDomains, unlikeDomains, filters }: SearchQuestion): WrittenQuestion {
  return { seed_domains: seedDomains, unlike_domains: unlikeDomains, filters };
}
