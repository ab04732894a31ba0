import {
  type CompanyFilters,
  domainName,
  limits,
  type SeedUse,
  sandboxDomain,
} from '@mailproof/shared-types';
import { readDomain } from '@mailproof/shared-types/web-address';
import type { SeedWords } from '../lookalike/lookalike-ranking.ts';
import { cleanText } from '../profile-enrichment/profile-source.ts';

/** The question of a lookalike search. Domains are registrable and distinct, in the order of the request. */
export interface SearchQuestion {
  readonly seedDomains: readonly string[];
  readonly seedText: string | null;
  /** By domain, of the seeds that are not in the store. */
  readonly seedPages: Readonly<Record<string, SeedPage>>;
  readonly unlikeDomains: readonly string[];
  readonly filters: CompanyFilters;
}

/** What is kept of a company's website: its words, or why it has none to compare. */
export type SeedPage = { readonly words: SeedWords } | { readonly unused: Exclude<SeedUse, 'used'> };

/** The question as stored in a search and as received in requests. */
export interface WrittenQuestion {
  readonly seed_domains: readonly string[];
  readonly seed_text?: string | undefined;
  /** Only stored: earlier releases stored none. */
  readonly seed_pages?: Readonly<Record<string, SeedPage>>;
  readonly unlike_domains: readonly string[];
  readonly filters: CompanyFilters;
}

/** An invalid part of a question, located by its JSON pointer into the request. */
interface QuestionIssue {
  readonly pointer: string;
  readonly detail: string;
}

/** The question is invalid. */
export class QuestionFault extends Error {
  override readonly name = 'QuestionFault';
  readonly issues: readonly QuestionIssue[];

  constructor(issues: readonly QuestionIssue[]) {
    super('The search is not valid.');
    this.issues = issues;
  }
}

/**
 * Parses the question of a request. @throws QuestionFault if a text does not name a domain, if a seed domain is also an
 * unlike domain, or if there is no seed
 */
export function askedQuestion({
  seed_domains,
  seed_text = '',
  unlike_domains,
  filters,
}: WrittenQuestion): SearchQuestion {
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
  const seedText = cleanText(seed_text, limits.seedTextCharactersMax) ?? null;
  if (seed_domains.length === 0 && seedText === null) {
    issues.push({
      pointer: '/seed_domains',
      detail: 'must name a company, unless `seed_text` describes some',
    });
  }
  if (issues.length > 0) {
    throw new QuestionFault(issues);
  }
  return {
    seedDomains: [...seeds],
    seedText,
    seedPages: {},
    unlikeDomains: [...unlike],
    filters: { ...words, ...(excluded && { excluded_domains: excluded }) },
  };
}

/** Reads the question of a search, which was validated when it was created. */
export function readQuestion(kept: unknown): SearchQuestion {
  const {
    seed_domains,
    seed_text = null,
    seed_pages = {},
    unlike_domains,
    filters,
  } = kept as WrittenQuestion;
  return {
    seedDomains: seed_domains,
    seedText: seed_text,
    seedPages: seed_pages,
    unlikeDomains: unlike_domains,
    filters,
  };
}

export function writeQuestion(question: SearchQuestion): WrittenQuestion {
  const { seedDomains, seedText, seedPages, unlikeDomains, filters } = question;
  return {
    seed_domains: seedDomains,
    ...(seedText !== null && { seed_text: seedText }),
    ...(Object.keys(seedPages).length > 0 && { seed_pages: seedPages }),
    unlike_domains: unlikeDomains,
    filters,
  };
}

const sandboxSite = new RegExp(
  `^(?:(?:https?:)?//)?([a-z\\d-]{1,63}\\.${sandboxDomain.replaceAll('.', '\\.')})(?:/.*)?$`,
);

/**
 * Returns the registrable domain in user input for a company: a domain, a host, or the URL of a page. Parsed like
 * websites in the store, so that both give the same domain. Undefined if there is none, as in an IP address, a
 * top-level domain, an email address, or a page on a shared site. Companies of the sandbox have a subdomain.
 */
export function siteDomainOf(text: string): string | undefined {
  const [, ofSandbox] = sandboxSite.exec(text.trim().toLowerCase()) ?? [];
  if (ofSandbox !== undefined) {
    return ofSandbox;
  }
  const parsed = domainName.safeParse(readDomain(text.trim().replace(/^\/\//, '')));
  return parsed.success ? parsed.data : undefined;
}
