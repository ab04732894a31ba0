import type { ProfileUrl } from '../profile-url/parse-profile-url.ts';

/** The words of a template that stand for the profile. */
export type TemplateWords = Readonly<Record<'profile_url' | 'profile_key' | 'handle', string>>;

const placeholder = /\{(\w+)\}/g;

export function wordsOf({ profileKey, profileUrl }: ProfileUrl): TemplateWords {
  const last = profileKey.split(/[/=]/).at(-1) ?? '';
  return { profile_url: profileUrl, profile_key: profileKey, handle: decodeURIComponent(last) };
}

/** Names in braces that stand for nothing. */
export function unknownWords(template: string): string[] {
  const known = ['profile_url', 'profile_key', 'handle'];
  return [...template.matchAll(placeholder)].flatMap(([, word = '']) => (known.includes(word) ? [] : [word]));
}

/**
 * The address with the profile in it. Every word is percent-encoded whole, so that none can end a segment of the path,
 * begin a parameter, or lead to another host; one of dots alone, which would step up a folder, is refused.
 */
export function fillUrl(template: string, words: TemplateWords): URL | undefined {
  const steps = Object.values(words).some(word => /^\.{1,2}$/.test(word));
  return steps ? undefined : (URL.parse(fill(template, words, encodeURIComponent)) ?? undefined);
}

/** The body with the profile in its texts; as JSON, which quotes what needs quoting. */
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

/** In one pass, so that a word that looks like a placeholder itself is not filled in again. */
function fill(template: string, words: TemplateWords, encode: (word: string) => string): string {
  return template.replace(placeholder, (whole, name: string) =>
    Object.hasOwn(words, name) ? encode(words[name as keyof TemplateWords]) : whole,
  );
}
