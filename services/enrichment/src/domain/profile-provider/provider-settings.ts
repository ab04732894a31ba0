import { decisiveFields } from '@mailproof/shared-types';
import type { ProfileUrl } from '../profile-url/parse-profile-url.ts';
import type { ProviderSecrets, ProviderSettings, ProviderStep } from './profile-provider.ts';

/** A fault in the settings, with its location. */
export interface SettingsFault {
  readonly pointer: string;
  readonly detail: string;
}

/** Classifies a provider's host: `public` is called over HTTPS, `lab` over plain HTTP as well. */
export type ClassifyHost = (host: string) => 'public' | 'lab' | 'refused';

const sample = { profile_url: 'https://a.example/b?c=d', profile_key: 'a.example/b', handle: 'b/../@c' };

/** The providers in the order in which they are queried. */
export function stepsOf({ fallbacks, ...first }: ProviderSettings): readonly ProviderStep[] {
  return [first, ...fallbacks];
}

/** Where a provider's settings are within those of all. */
const pointerOf = (position: number) => (position === 0 ? '' : `/fallbacks/${position - 1}`);

/** Finds faults that the contract's schema cannot detect, in all providers. */
export function settingsFaults(settings: ProviderSettings, classifyHost: ClassifyHost): SettingsFault[] {
  const steps = stepsOf(settings);
  return steps.flatMap((step, position) => {
    const faults = stepFaults(step, classifyHost);
    if (steps.findIndex(({ name }) => name === step.name) < position) {
      faults.push({ pointer: '/name', detail: 'Each provider needs a different name.' });
    }
    return faults.map(({ pointer, detail }) => ({ pointer: pointerOf(position) + pointer, detail }));
  });
}

/** Finds faults of one provider. */
export function stepFaults(settings: ProviderStep, classifyHost: ClassifyHost): SettingsFault[] {
  const { url, method, body, fields } = settings;
  const faults = urlFaults(url, classifyHost).map(detail => ({ pointer: '/url', detail }));
  const texts = JSON.stringify(body ?? '');
  if (method === 'GET' && body !== null) {
    faults.push({ pointer: '/body', detail: 'A GET has no body.' });
  }
  for (const word of unknownWords(texts)) {
    faults.push({ pointer: '/body', detail: `{${word}} is not a valid placeholder.` });
  }
  if (!/\{(?:profile_url|profile_key|handle)\}/.test(url + texts)) {
    faults.push({
      pointer: '/url',
      detail: 'Add a placeholder for the profile, such as {profile_url}, to the URL or the body.',
    });
  }
  if (!decisiveFields.some(field => fields[field] !== undefined)) {
    faults.push({ pointer: '/fields', detail: `Map at least one of ${decisiveFields.join(', ')}.` });
  }
  return faults;
}

function urlFaults(template: string, classifyHost: ClassifyHost): string[] {
  const unknown = unknownWords(template).map(word => `{${word}} is not a valid placeholder.`);
  const url = URL.parse(template);
  const filled = fillUrl(template, sample);
  if (url === null || filled === undefined || !/^https?:$/.test(url.protocol)) {
    return [...unknown, 'This is not a valid HTTPS URL.'];
  }
  if (url.username !== '' || url.password !== '' || url.hash !== '') {
    return [...unknown, 'Move secrets to a secret header, and remove the part after #.'];
  }
  // If the host depended on the profile, the caller could choose it.
  if (filled.origin !== url.origin || /[{}]|%7[bd]/i.test(url.host)) {
    return [...unknown, 'Placeholders are allowed only in the path and in the query.'];
  }
  const hostClass = classifyHost(url.hostname.replace(/^\[|\]$/g, ''));
  if (hostClass === 'refused') {
    return [...unknown, 'This address is not allowed.'];
  }
  return hostClass === 'public' && url.protocol === 'http:' ? [...unknown, 'Use HTTPS.'] : unknown;
}

interface StoredProviders {
  readonly settings: ProviderSettings;
  readonly secrets: ProviderSecrets;
}

/**
 * Separates secret values from the rest. A secret that is not sent again is carried over from the previous settings,
 * but never to another origin: otherwise a user who may change the URL could have it sent to their own server. A
 * provider without a stored secret, or with the same one as an earlier provider at its origin, takes the secret of that
 * one: a vendor's endpoints take the same key.
 */
export function partSecrets(
  settings: ProviderSettings,
  before: StoredProviders | undefined,
): StoredProviders & { readonly faults: SettingsFault[] } {
  const secrets: Record<string, string> = {};
  const faults: SettingsFault[] = [];
  const steps = stepsOf(settings);
  const secretAt = (position: number, header: string): string | undefined => {
    const { url } = steps[position] as ProviderStep;
    const stored = (at: number) => before && storedSecret(before, steps, at, header);
    const own = stored(position);
    const earlier = steps.findIndex(
      (step, at) =>
        at < position && isSameOrigin(step.url, url) && secrets[secretName(at, header)] !== undefined,
    );
    return earlier >= 0 && (own === undefined || own === stored(earlier))
      ? secrets[secretName(earlier, header)]
      : (own ?? (before && anySecretAt(before, url, header)));
  };
  const [first, ...fallbacks] = steps.map((step, position) => ({
    ...step,
    headers: step.headers.map(({ name, value, is_secret }, index) => {
      const sent = value ?? (is_secret ? secretAt(position, name) : undefined);
      if (sent === undefined) {
        const detail = is_secret
          ? 'Enter the secret: none is stored for this header at this host.'
          : 'Send the value of the header.';
        faults.push({ pointer: `${pointerOf(position)}/headers/${index}/value`, detail });
      } else if (is_secret) {
        secrets[secretName(position, name)] = sent;
      }
      return is_secret || sent === undefined ? { name, is_secret } : { name, value: sent, is_secret };
    }),
  }));
  return { settings: { ...(first as ProviderStep), fallbacks }, secrets, faults };
}

/** The name of a header's secret among those of all providers; a space is in no header's name. */
function secretName(position: number, header: string): string {
  return (position === 0 ? '' : `${position} `) + header.toLowerCase();
}

/** The secrets of one provider by header. */
export function secretsOfStep(
  secrets: ProviderSecrets,
  step: ProviderStep,
  position: number,
): ProviderSecrets {
  return Object.fromEntries(
    step.headers.flatMap(({ name }) => {
      const secret = secrets[secretName(position, name)];
      return secret === undefined ? [] : [[name.toLowerCase(), secret] as const];
    }),
  );
}

/** The stored secret of one of the new providers at the same origin: by its name, or by its position if it is renamed. */
function storedSecret(
  before: StoredProviders,
  steps: readonly ProviderStep[],
  position: number,
  header: string,
): string | undefined {
  const stepsBefore = stepsOf(before.settings);
  const named = stepsBefore.findIndex(({ name }) => name === steps[position]?.name);
  const isKept = (name: string | undefined) => steps.some(step => step.name === name);
  const at = named >= 0 || isKept(stepsBefore[position]?.name) ? named : position;
  return isSameOrigin(stepsBefore[at]?.url, steps[position]?.url)
    ? before.secrets[secretName(at, header)]
    : undefined;
}

function anySecretAt(
  { settings, secrets }: StoredProviders,
  url: string,
  header: string,
): string | undefined {
  return stepsOf(settings)
    .map((step, position) =>
      isSameOrigin(step.url, url) ? secrets[secretName(position, header)] : undefined,
    )
    .find(secret => secret !== undefined);
}

function isSameOrigin(one = '', other = ''): boolean {
  const origin = URL.parse(one)?.origin;
  return origin !== undefined && origin === URL.parse(other)?.origin;
}

/** Whether a provider is queried about a profile: never about a kind that it does not know, which it may charge. */
export function takesProfile(
  { kinds, fields }: Pick<ProviderStep, 'kinds' | 'fields'>,
  { kind }: Pick<ProfileUrl, 'kind'>,
): boolean {
  const mapsPerson = fieldsOfPeople.some(field => fields[field] !== undefined);
  const taken = kinds ?? [mapsPerson ? 'person' : 'organisation'];
  return kind === undefined || taken.includes(kind);
}

const fieldsOfPeople = ['first_name', 'last_name', 'full_name', 'headline', 'job_title'] as const;

/** The values of a template's placeholders. */
type TemplateWords = Readonly<Record<'profile_url' | 'profile_key' | 'handle', string>>;

const placeholder = /\{(\w+)\}/g;

export function wordsOf({ profileKey, profileUrl }: ProfileUrl): TemplateWords {
  const last = profileKey.split(/[/=]/).at(-1) ?? '';
  return { profile_url: profileUrl, profile_key: profileKey, handle: decodeURIComponent(last) };
}

/** Returns the names in braces that are not placeholders. */
function unknownWords(template: string): string[] {
  const known = ['profile_url', 'profile_key', 'handle'];
  return [...template.matchAll(placeholder)].flatMap(([, word = '']) => (known.includes(word) ? [] : [word]));
}

/**
 * Fills the profile into the URL. Every value is percent-encoded completely, so that none can end a path segment, begin
 * a parameter or change the host; a value of only dots, which would move up a path segment, is refused.
 */
export function fillUrl(template: string, words: TemplateWords): URL | undefined {
  const steps = Object.values(words).some(word => /^\.{1,2}$/.test(word));
  return steps ? undefined : (URL.parse(fill(template, words, encodeURIComponent)) ?? undefined);
}

/** Fills the profile into the texts of the body; JSON encoding then does the quoting. */
export function fillBody(template: unknown, words: TemplateWords): unknown {
  if (typeof template === 'string') {
    return fill(template, words, word => word);
  }
  if (Array.isArray(template)) {
    return template.map(entry => fillBody(entry, words));
  }
  return typeof template === 'object' && template !== null
    ? Object.fromEntries(Object.entries(template).map(([name, value]) => [name, fillBody(value, words)]))
    : template;
}

/** Replaces in one pass, so that a value that looks like a placeholder is not replaced again. */
function fill(template: string, words: TemplateWords, encode: (word: string) => string): string {
  return template.replace(placeholder, (whole, name: string) =>
    Object.hasOwn(words, name) ? encode(words[name as keyof TemplateWords]) : whole,
  );
}
