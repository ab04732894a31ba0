import { type ProviderPresetName, providerPresets } from '@mailproof/shared-types/provider-presets';
import type { Schema } from '../../api/client.ts';

type Provider = Schema['ProfileProvider'];
type Settings = Schema['ProfileProviderSettings'];

/**
 * The display names of the profile fields that a response can fill; one of the first four is required for a profile.
 */
export const fieldNames = {
  first_name: 'First name',
  last_name: 'Last name',
  headline: 'Headline',
  company: 'Company',
  full_name: 'Full name',
  job_title: 'Job title',
  company_domain: 'Company domain',
  description: 'Description',
  industry: 'Industry',
  country: 'Country',
  region: 'Region',
  city: 'City',
  website: 'Website',
  keywords: 'Keywords',
  follower_count: 'Followers',
  connection_count: 'Connections',
  employee_count: 'Employees',
  founded_year: 'Founded',
} as const;

export type FieldName = keyof typeof fieldNames;

export const mainFields: readonly FieldName[] = ['first_name', 'last_name', 'headline', 'company'];

/** The settings that are being edited. */
export interface ProviderDraft {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly url: string;
  /** The JSON body of a POST request. */
  readonly body: string;
  readonly headers: readonly HeaderDraft[];
  readonly fields: Readonly<Record<FieldName, string>>;
  readonly statuses: string;
  readonly emptyPath: string;
  readonly priceNote: string;
  readonly requestsPerSecond: number;
  readonly timeoutMs: number;
  readonly requestsPerMonth: string;
  /** What this form does not show; it is saved as it was. */
  readonly rest: Pick<Settings, 'kinds' | 'kept_hours' | 'poll'>;
  /** The providers that are queried next, as a JSON list of settings. */
  readonly fallbacks: string;
}

export interface HeaderDraft {
  readonly name: string;
  readonly value: string;
  readonly isSecret: boolean;
  /** Whether the server already stores the encrypted value, so that the field can be left blank. */
  readonly isKept: boolean;
}

/** Returns the initial form values: the current settings without secrets, or empty ones. */
export function draftOf(provider: Provider | undefined): ProviderDraft {
  return {
    name: provider?.name ?? '',
    method: provider?.method ?? 'GET',
    url: provider?.url ?? '',
    body: provider?.body ? JSON.stringify(provider.body, null, 2) : '',
    headers: (provider?.headers ?? []).map(({ name, value = '', is_secret: isSecret }) => ({
      name,
      value,
      isSecret,
      isKept: isSecret,
    })),
    fields: Object.fromEntries(
      Object.keys(fieldNames).map(field => [field, provider?.fields[field] ?? '']),
    ) as Record<FieldName, string>,
    statuses: (provider?.no_match?.statuses ?? [404]).join(', '),
    emptyPath: provider?.no_match?.empty_path ?? '',
    priceNote: provider?.price_note ?? '',
    requestsPerSecond: provider?.requests_per_second ?? 5,
    timeoutMs: provider?.timeout_ms ?? 8_000,
    requestsPerMonth: String(provider?.requests_per_month ?? ''),
    rest: {
      kinds: provider?.kinds ?? null,
      kept_hours: provider?.kept_hours ?? null,
      poll: provider?.poll ?? null,
    },
    fallbacks: provider?.fallbacks?.length ? JSON.stringify(provider.fallbacks, null, 2) : '',
  };
}

/** Whether the text is a JSON object, or blank. */
export function isBody(text: string): boolean {
  return text.trim() === '' || bodyOf(text) !== null;
}

/** Builds the settings for the API. A secret left blank stays unchanged. */
export function settingsOf(draft: ProviderDraft): Settings {
  const fields = Object.entries(draft.fields)
    .map(([field, path]) => [field, path.trim()] as const)
    .filter(([, path]) => path !== '');
  return {
    name: draft.name.trim(),
    method: draft.method,
    url: draft.url.trim(),
    body: draft.method === 'POST' ? bodyOf(draft.body) : null,
    headers: draft.headers.map(({ name, value, isSecret, isKept }) => ({
      name: name.trim(),
      is_secret: isSecret,
      ...(!(isSecret && isKept && value === '') && { value }),
    })),
    fields: Object.fromEntries(fields),
    no_match: {
      statuses: draft.statuses
        .split(',')
        .map(status => status.trim())
        .filter(status => status !== '')
        .map(Number),
      empty_path: draft.emptyPath.trim() || null,
    },
    price_note: draft.priceNote.trim() || null,
    requests_per_second: draft.requestsPerSecond,
    timeout_ms: draft.timeoutMs,
    requests_per_month: draft.requestsPerMonth.trim() === '' ? null : Number(draft.requestsPerMonth),
    ...draft.rest,
    fallbacks: fallbacksOf(draft.fallbacks) ?? [],
  };
}

/** A draft of the settings for a vendor; its secrets are to be entered. */
export function draftOfPreset(name: ProviderPresetName): ProviderDraft {
  const draft = draftOf(providerPresets[name].settings as unknown as Provider);
  return { ...draft, headers: draft.headers.map(header => ({ ...header, isKept: false })) };
}

/** Returns the settings of further providers, or null if the text is no JSON list. */
export function fallbacksOf(text: string): Settings['fallbacks'] | null {
  try {
    const value: unknown = text.trim() === '' ? [] : JSON.parse(text);
    return Array.isArray(value) ? (value as Settings['fallbacks']) : null;
  } catch {
    return null;
  }
}

function bodyOf(text: string): Settings['body'] {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Settings['body'])
      : null;
  } catch {
    return null;
  }
}
