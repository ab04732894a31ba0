import type { EnrichedProfile, MappedField } from '@mailproof/shared-types';
import { readCountry } from '../reading/country.ts';
import type { ProviderStep } from './profile-provider.ts';

/** Returns the value at a path such as `person.names[0].first`, or undefined. Reads only own properties. */
export function readPath(value: unknown, path: string): unknown {
  let here: unknown = value;
  for (const [, name, position] of path.matchAll(/([^.[\]]+)|\[(\d+)\]/g)) {
    if (position !== undefined) {
      here = Array.isArray(here) ? here[Number(position)] : undefined;
    } else {
      const isObject = typeof here === 'object' && here !== null && !Array.isArray(here);
      here =
        isObject && Object.hasOwn(here as object, name ?? '')
          ? (here as Record<string, unknown>)[name ?? '']
          : undefined;
    }
  }
  return here;
}

/** Whether the answer means that the profile is unknown. */
export function saysNoMatch(answer: unknown, { no_match }: Pick<ProviderStep, 'no_match'>): boolean {
  return no_match.empty_path !== null && isEmpty(readPath(answer, no_match.empty_path));
}

/** Extracts the fields of a profile from an answer; omits values of the wrong type. */
export function mapAnswer(answer: unknown, fields: ProviderStep['fields']): EnrichedProfile {
  const mapped = Object.entries(fields).flatMap(([field, path]) => {
    const value = path === undefined ? undefined : readers[field as MappedField](readPath(answer, path));
    return value === undefined ? [] : [[field, value]];
  });
  return Object.fromEntries(mapped) as EnrichedProfile;
}

const readers: Readonly<Record<MappedField, (value: unknown) => unknown>> = {
  first_name: text,
  last_name: text,
  full_name: text,
  headline: text,
  job_title: text,
  company: text,
  company_domain: domain,
  description: text,
  industry: text,
  country,
  region: text,
  city: text,
  website,
  keywords: words,
  follower_count: count,
  connection_count: count,
  employee_count: count,
  founded_year: count,
};

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false) {
    return true;
  }
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function text(value: unknown): string | undefined {
  if (typeof value === 'number') {
    return String(value);
  }
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function words(value: unknown): string[] | undefined {
  const list = typeof value === 'string' ? value.split(/[,;]/) : value;
  const found = Array.isArray(list) ? list.flatMap(word => text(word) ?? []) : [];
  return found.length > 0 ? found : undefined;
}

function count(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\s*\d{1,15}\s*$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

function website(value: unknown): string | undefined {
  const url =
    typeof value === 'string' ? URL.parse(/^[a-z]+:/i.test(value) ? value : `https://${value}`) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' ? url.href : undefined;
}

/** Returns the code of a country, however the provider writes it, or undefined if it is none. */
function country(value: unknown): string | undefined {
  return readCountry(text(value) ?? '');
}

/** Returns the domain: `ordinary.example` for `https://www.ordinary.example/about` and `Ordinary.example`. */
function domain(value: unknown): string | undefined {
  const host = URL.parse(website(value) ?? '')?.hostname.replace(/^www\./, '');
  return host?.includes('.') && !/[\d.]+$/.test(host) ? host : undefined;
}
