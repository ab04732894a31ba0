import type { Schema } from '../../api/client.ts';
import { formatNumber } from '../../design/format.ts';

type Location = Schema['RecordLocation'];

/** `human_resources` as people read it: `Human resources`. */
export function wordsOf(code: string | null): string {
  if (code === null) return '–';
  const known: Record<string, string> = { cxo: 'C-level', vp: 'Vice president' };
  return known[code] ?? `${code.charAt(0).toUpperCase()}${code.slice(1)}`.replaceAll('_', ' ');
}

/** `Bremen, Germany`, as far as it is known. */
export function placeOf({ city, region, country }: Location): string {
  const parts = [city, region, country && countryName(country)];
  return parts.filter((part, index) => part && parts.indexOf(part) === index).join(', ') || '–';
}

/** `Germany`, of `DE`. */
export function countryName(code: string): string {
  return countries.of(code) ?? code;
}

const countries = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' });

/** `$1,200`, or the band where no number is known. */
export function moneyOf(usd: number | null, band: string | null): string {
  return usd === null ? (band ?? '–') : `$${formatNumber(usd)}`;
}
