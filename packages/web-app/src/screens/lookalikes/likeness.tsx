import { Check } from 'lucide-react';
import type { Schema } from '../../api/client.ts';
import styles from './lookalikes.module.css';
import { outOfHundred, strengthWords } from './offer.ts';

type Reasons = Schema['PreviewedCompany']['reasons'] | Schema['PaidCompany']['reasons'];

const facetNames = {
  industry: 'industry',
  company_size: 'number of employees',
  revenue: 'revenue',
  company_type: 'company type',
  country: 'country',
} as const;

/** Why a company is a match. */
export function ReasonsWhy({ reasons }: { readonly reasons: Reasons }) {
  const { shared_terms, matching_facets } = reasons;
  if (shared_terms.length === 0 && matching_facets.length === 0) {
    return <p className={styles.soft}>Similar to companies that share the seeds’ keywords.</p>;
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

/** The match strength of a company: a number out of 100, a bar, and a word. */
export function StrengthMark({ strength }: { readonly strength: number }) {
  const number = outOfHundred(strength);
  return (
    <div className={styles.strength}>
      <span className={styles.strengthNumber}>
        <strong>{number}</strong>
        <span className="visually-hidden"> out of 100, </span>
        <span className={styles.strengthWord}>{strengthWords(strength)}</span>
      </span>
      <ShareBar share={strength} />
    </div>
  );
}

/** A share as a bar; the text next to it says the same. */
export function ShareBar({ share }: { readonly share: number }) {
  return (
    <span className={styles.bar} aria-hidden>
      <span style={{ width: `${Math.round(share * 100)}%` }} />
    </span>
  );
}
