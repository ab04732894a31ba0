import { Check } from 'lucide-react';
import type { Schema } from '../../api/client.ts';
import styles from './lookalikes.module.css';

type Reasons = Schema['PreviewedCompany']['reasons'] | Schema['PaidCompany']['reasons'];

export const facetNames = {
  industry: 'industry',
  company_size: 'number of employees',
  revenue: 'revenue',
  company_type: 'kind of company',
  country: 'country',
} as const;

/** Why a company is a match. */
export function ReasonsWhy({ reasons }: { readonly reasons: Reasons }) {
  const { shared_terms, matching_facets } = reasons;
  if (shared_terms.length === 0 && matching_facets.length === 0) {
    return <p className={styles.soft}>Near to companies that share the seeds’ words.</p>;
  }
  return (
    <ul className={styles.reasons} aria-label="Why it matches">
      {matching_facets.map(({ facet, value }) => (
        <li key={facet} className={styles.facet}>
          <Check size={14} aria-hidden />
          <span>
            Same {facetNames[facet]}: {value}
          </span>
        </li>
      ))}
      {shared_terms.length > 0 && (
        <li className={styles.terms}>
          <span>Shares</span>
          {shared_terms.map(term => (
            <span key={term} className={styles.term}>
              {term}
            </span>
          ))}
        </li>
      )}
    </ul>
  );
}
