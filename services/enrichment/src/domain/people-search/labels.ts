import type { ClosedFacet, Department, Seniority } from '@mailproof/shared-types';
import { closedVocabularies } from './check-filters.ts';

const seniorityLabels: Readonly<Record<Seniority, string>> = {
  cxo: 'C-level',
  director: 'Director or head',
  entry: 'Entry level',
  manager: 'Manager',
  owner: 'Owner or founder',
  partner: 'Partner',
  senior: 'Senior',
  training: 'In training',
  unpaid: 'Unpaid',
  vp: 'Vice president',
};

const departmentLabels: Readonly<Partial<Record<Department, string>>> = {
  human_resources: 'Human resources',
  professional_service: 'Professional services',
  public_service: 'Public service',
  sales_engineering: 'Sales engineering',
  advisory: 'Advisory and boards',
  trade: 'Skilled trades',
};

/** English names of countries by code. */
export const countryNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' });

/** Returns the label of a vocabulary's value. */
export function labelOf(vocabulary: ClosedFacet | 'countries' | 'industries', value: string): string {
  if (vocabulary === 'countries') {
    return /^[A-Z]{2}$/.test(value) ? (countryNames.of(value) ?? value) : value;
  }
  const label = {
    ...(vocabulary === 'seniorities' && seniorityLabels),
    ...(vocabulary === 'departments' && departmentLabels),
  }[value as keyof object];
  return label ?? (vocabulary === 'company_sizes' || vocabulary === 'revenues' ? value : inWords(value));
}

/** Returns the values of a fixed vocabulary with their labels, in order. */
export function labeledVocabulary(name: ClosedFacet): { value: string; label: string }[] {
  return closedVocabularies[name].map(value => ({ value, label: labelOf(name, value) }));
}

function inWords(value: string): string {
  const words = value.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
