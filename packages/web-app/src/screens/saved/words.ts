import { departmentNames, seniorityNames, valueInWords } from '@mailproof/shared-types';
import type { Schema } from '../../api/client.ts';
import { formatNumber } from '../../design/format.ts';

type Location = Schema['RecordLocation'];

const names: Readonly<Record<string, string>> = { ...departmentNames, ...seniorityNames };

/** Formats a seniority, a department, an industry or a type for display: `human_resources` becomes `Human resources`. */
export function wordsOf(code: string | null): string {
  if (code === null) return '–';
  return Object.hasOwn(names, code) ? (names[code] ?? code) : valueInWords(code);
}

/** `501–1,000 employees`, from the band `501-1000`. */
export function employeesOf(band: string): string {
  return `${band.replace('-', '–').replace(/\d{4,}/g, digits => formatNumber(Number(digits)))} employees`;
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
