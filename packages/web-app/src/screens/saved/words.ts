import type { Schema } from '../../api/client.ts';
import { formatNumber } from '../../design/format.ts';

type Location = Schema['RecordLocation'];

/** Formats a code for display: `human_resources` becomes `Human resources`. */
export function wordsOf(code: string | null): string {
  if (code === null) return '–';
  const known: Record<string, string> = { cxo: 'C-level', vp: 'Vice president' };
  return known[code] ?? `${code.charAt(0).toUpperCase()}${code.slice(1)}`.replaceAll('_', ' ');
}

/** `Bremen, Germany`, or the known part of it. */
export function locationOf({ city, region, country }: Location): string {
  const parts = [city, region, country && countryName(country)];
  return parts.filter((part, index) => part && parts.indexOf(part) === index).join(', ') || '–';
}

/** `Germany`, from `DE`. */
export function countryName(code: string): string {
  return countries.of(code) ?? code;
}

const countries = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' });

/** `$1,200`, or the band if the number is unknown. */
export function moneyOf(usd: number | null, band: string | null): string {
  return usd === null ? (band ?? '–') : `$${formatNumber(usd)}`;
}
