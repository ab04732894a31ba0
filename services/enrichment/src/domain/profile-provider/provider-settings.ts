import { decisiveFields } from '@mailproof/shared-types';
import { fillUrl, unknownWords } from './fill-template.ts';
import type { ProfileProvider, ProviderSecrets, ProviderSettings } from './profile-provider.ts';

/** What is wrong with settings, and where. */
export interface SettingsFault {
  readonly pointer: string;
  readonly detail: string;
}

/** Whether a provider may stand there: `public` is asked over HTTPS, `lab` over plain HTTP as well. */
export type PlaceOfHost = (host: string) => 'public' | 'lab' | 'refused';

const sample = { profile_url: 'https://a.example/b?c=d', profile_key: 'a.example/b', handle: 'b/../@c' };

/** Finds what the contract's schema cannot see. */
export function settingsFaults(settings: ProviderSettings, placeOf: PlaceOfHost): SettingsFault[] {
  const { url, method, body, fields } = settings;
  const faults = urlFaults(url, placeOf).map(detail => ({ pointer: '/url', detail }));
  const texts = JSON.stringify(body ?? '');
  if (method === 'GET' && body !== null) {
    faults.push({ pointer: '/body', detail: 'A GET has no body.' });
  }
  for (const word of unknownWords(texts)) {
    faults.push({ pointer: '/body', detail: `{${word}} stands for nothing.` });
  }
  if (!/\{(?:profile_url|profile_key|handle)\}/.test(url + texts)) {
    faults.push({
      pointer: '/url',
      detail: 'Neither address nor body names the profile, for example by {profile_url}.',
    });
  }
  if (!decisiveFields.some(field => fields[field] !== undefined)) {
    faults.push({ pointer: '/fields', detail: `Map at least one of ${decisiveFields.join(', ')}.` });
  }
  return faults;
}

function urlFaults(template: string, placeOf: PlaceOfHost): string[] {
  const unknown = unknownWords(template).map(word => `{${word}} stands for nothing.`);
  const url = URL.parse(template);
  const filled = fillUrl(template, sample);
  if (url === null || filled === undefined || !/^https?:$/.test(url.protocol)) {
    return [...unknown, 'This is not the address of a web service.'];
  }
  if (url.username !== '' || url.password !== '' || url.hash !== '') {
    return [...unknown, 'Put secrets into a secret header, and leave the part after # out.'];
  }
  // A host that depended on the profile would be chosen by whoever asks.
  if (filled.origin !== url.origin || /[{}]|%7[bd]/i.test(url.host)) {
    return [...unknown, 'The profile may stand in the path and in the query alone.'];
  }
  const place = placeOf(url.hostname.replace(/^\[|\]$/g, ''));
  if (place === 'refused') {
    return [...unknown, 'This address may not be contacted.'];
  }
  return place === 'public' && url.protocol === 'http:' ? [...unknown, 'Use HTTPS.'] : unknown;
}

/**
 * Parts secret values from the rest. A secret that is not sent again is carried over from the settings before, but never
 * to another origin: whoever may change the address could have it sent to themselves.
 */
export function partSecrets(
  settings: ProviderSettings,
  before: { readonly settings: ProfileProvider['settings']; readonly secrets: ProviderSecrets } | undefined,
): {
  readonly settings: ProviderSettings;
  readonly secrets: ProviderSecrets;
  readonly faults: SettingsFault[];
} {
  const isSameOrigin =
    before !== undefined && URL.parse(before.settings.url)?.origin === URL.parse(settings.url)?.origin;
  const secrets: Record<string, string> = {};
  const faults: SettingsFault[] = [];
  const headers = settings.headers.map(({ name, value, is_secret }, position) => {
    const known = is_secret && isSameOrigin ? before.secrets[name.toLowerCase()] : undefined;
    const sent = value ?? known;
    if (sent === undefined) {
      const detail = is_secret
        ? 'Send the secret: none is known for this header at this host.'
        : 'Send the value of the header.';
      faults.push({ pointer: `/headers/${position}/value`, detail });
    } else if (is_secret) {
      secrets[name.toLowerCase()] = sent;
    }
    return is_secret || sent === undefined ? { name, is_secret } : { name, value: sent, is_secret };
  });
  return { settings: { ...settings, headers }, secrets, faults };
}
