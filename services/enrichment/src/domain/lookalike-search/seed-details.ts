import { limits, type SeedUse } from '@mailproof/shared-types';
import { aboutMinutes } from '../lookalike/lookalike-ranking.ts';

interface SeedState {
  readonly use: SeedUse;
  /** Whether the store has the company. */
  readonly isKnown: boolean;
  readonly nextModelMs: number | null;
}

/** Says why a company is not used, and what to do; null if it is used. */
export function seedDetail(domain: string, { use, isKnown, nextModelMs }: SeedState): string | null {
  switch (use) {
    case 'used':
      return null;
    case 'not_found':
      return `${domain} is not in the store. Use another company, or describe in a text what it does.`;
    case 'page_not_read':
      return `${domain} is not in the store, and its website was not read now: a search reads at most ${limits.seedPagesMax}. Try again later with fewer new companies, or describe in a text what they do.`;
    case 'page_unreachable':
      return `${domain} is not in the store, and its website does not respond with a page. Check the domain, or describe in a text what the company does.`;
    case 'page_forbidden':
      return `${domain} is not in the store, and its website may not be read by programs. Describe in a text what the company does.`;
    case 'page_parked':
      return `${domain} is not in the store, and its website offers the domain for sale. Use the company’s other domain, or describe in a text what it does.`;
    case 'too_little_text':
      return isKnown
        ? `${domain} is described in too few words to compare it. Describe in a text what it does.`
        : `${domain} is not in the store, and its website has too few words. Describe in a text what the company does.`;
    case 'other_language':
      return `Too few words of ${domain} occur in descriptions of other companies, perhaps because of another language. Describe in a text what it does, in the language of the companies to find.`;
    case 'not_indexed':
      return nextModelMs === null
        ? `${domain} is not indexed yet: it can be compared once the next model is built. Until then, describe in a text what it does.`
        : `${domain} is not indexed yet, ${aboutMinutes(nextModelMs)} left. Try again then, or describe in a text what it does.`;
  }
}

/** Says why a company in `unlike_domains` is not used; null if it is used. No website of these is read. */
export function unlikeDetail(domain: string, { use }: Pick<SeedState, 'use'>): string | null {
  switch (use) {
    case 'used':
      return null;
    case 'not_found':
      return `${domain} is not in the store. Leave it out, or name another company.`;
    case 'not_indexed':
      return `${domain} is not indexed yet: it can be compared once the next model is built.`;
    default:
      return `${domain} is described in too few words to compare it. Leave it out, or name another company.`;
  }
}

/** Says why the text of a search is not used, and what to do; null if it is used. */
export function seedTextDetail(use: SeedUse | null): string | null {
  switch (use) {
    case null:
    case 'used':
      return null;
    case 'too_little_text':
      return 'The text has too few words. Write in a sentence or two what the companies do.';
    default:
      return 'Too few words of the text occur in descriptions of companies. Use other words, in the language of the companies to find.';
  }
}
