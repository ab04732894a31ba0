import type { EnrichedField, EnrichedProfile, FieldProvenance } from '@mailproof/shared-types';
import type { ProfileSource, SourceAnswer } from '../../domain/profile-enrichment/profile-source.ts';
import type { ProfileUrl } from '../../domain/profile-url/parse-profile-url.ts';
import { namedProfiles, readProfilePage } from '../../domain/public-page/read-profile-page.ts';
import { isUrlAskable, type PublicPageOptions, visitPage } from './visit-page.ts';

/** Whether the profile's public page may be requested at all. */
export function isPageAskable({ profileUrl }: ProfileUrl, deniedHosts: readonly string[]): boolean {
  const url = new URL(profileUrl);
  return url.port === '' && isUrlAskable(url, deniedHosts);
}

/** Uses public pages as a source: with a named user agent, where robots.txt, page and operator allow it. */
export function createPublicPageSource(options: PublicPageOptions): ProfileSource {
  return {
    name: 'page',
    async find({ profile, signal }) {
      const answeredAt = options.now();
      const page = isPageAskable(profile, options.deniedHosts)
        ? await readPage(options, profile, signal)
        : undefined;
      return page === undefined ? { outcome: 'notFound', answeredAt } : answerOf(page, answeredAt);
    },
  };
}

interface PageAnswer {
  readonly profile: EnrichedProfile;
  /** Profiles of the same person, according to the page. */
  readonly sameAs: readonly string[];
}

async function readPage(
  options: PublicPageOptions,
  profile: ProfileUrl,
  signal: AbortSignal,
): Promise<(PageAnswer & { readonly url: URL }) | undefined> {
  const page = await visitPage(options, new URL(profile.profileUrl), signal);
  if (typeof page === 'string') {
    return undefined;
  }
  const said = readProfilePage(page.facts, profile);
  return said && { profile: said, sameAs: namedProfiles(page.facts), url: page.url };
}

function answerOf(
  { profile, sameAs, url }: PageAnswer & { readonly url: URL },
  answeredAt: Date,
): SourceAnswer {
  const origin: FieldProvenance = {
    source: `${url.origin}${url.pathname}`,
    kind: 'page',
    licence: 'public page; its publisher’s terms apply',
    date: answeredAt.toISOString().slice(0, 10),
  };
  const fields = Object.keys(profile) as EnrichedField[];
  return {
    outcome: 'found',
    profile,
    sameAs,
    provenance: Object.fromEntries(fields.map(field => [field, origin])),
    answeredAt,
  };
}
