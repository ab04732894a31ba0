import type { ClosedFacet } from '@mailproof/shared-types';
import { departmentNames, seniorityNames, valueInWords } from '@mailproof/shared-types/vocabularies';
import { closedVocabularies } from './check-filters.ts';

/** Made with the first use, which makes the process load Node's data about languages. */
let countryNames: Intl.DisplayNames | undefined;

/** Returns the English name of a country; the code if there is none. */
export function countryName(code: string): string {
  countryNames ??= new Intl.DisplayNames('en', { type: 'region', fallback: 'code' });
  return countryNames.of(code) ?? code;
}

/** Returns the label of a vocabulary's value. */
export function labelOf(vocabulary: ClosedFacet | 'countries' | 'industries', value: string): string {
  if (vocabulary === 'countries') {
    return /^[A-Z]{2}$/.test(value) ? countryName(value) : value;
  }
  const names: Readonly<Record<string, string>> =
    vocabulary === 'seniorities' ? seniorityNames : vocabulary === 'departments' ? departmentNames : {};
  if (Object.hasOwn(names, value)) {
    return names[value] ?? value;
  }
  return vocabulary === 'company_sizes' || vocabulary === 'revenues' ? value : valueInWords(value);
}

/** Returns the values of a fixed vocabulary with their labels, in order. */
export function labeledVocabulary(name: ClosedFacet): { value: string; label: string }[] {
  return closedVocabularies[name].map(value => ({ value, label: labelOf(name, value) }));
}
