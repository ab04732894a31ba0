import type { AccountId, EnrichedProfile, EnrichmentOutcome } from '@mailproof/shared-types';
import type { Recognition, SuppressionCheck } from '../privacy/subjects.ts';
import { type ProfileUrl, parseProfileUrl } from '../profile-url/parse-profile-url.ts';
import {
  cleanProfile,
  isFound,
  type ProfileQuestion,
  type ProfileSource,
  type SourceAnswer,
  SourceFailure,
} from './profile-source.ts';

export interface EnrichmentPorts {
  /** Whether the store holds the URL, which makes a URL of no known form a profile. */
  readonly holds: (profile: ProfileUrl) => Promise<boolean>;
  readonly suppression: Pick<SuppressionCheck, 'isSuppressed'>;
  /** In the order in which they are queried. */
  readonly sources: readonly ProfileSource[];
  readonly now: () => Date;
  /** Called when a source fails; receives nothing about the profile. */
  readonly onSourceFailed: (source: ProfileSource['name'], accountId: AccountId, error: unknown) => void;
}

export interface EnrichmentRequest {
  readonly accountId: AccountId;
  readonly profileUrl: string;
  readonly maxAgeSeconds?: number | undefined;
  readonly onlyChecksUrl: boolean;
  readonly signal: AbortSignal;
}

export type Enrichment =
  | EnrichmentOutcome
  /** The URL is not that of a profile. */
  | { readonly outcome: 'invalid' }
  /** No source that answered knows the profile, but some failed, so it may exist. */
  | { readonly outcome: 'unanswered'; readonly failures: readonly SourceFailure[] };

/**
 * Looks up a profile: queries the sources in order until one knows it. A source that fails is skipped. For suppressed
 * people nothing is returned, fetched or stored, from any source (ADR 0032).
 */
export async function enrichProfile(ports: EnrichmentPorts, request: EnrichmentRequest): Promise<Enrichment> {
  const profile = parseProfileUrl(request.profileUrl);
  if (profile === undefined) {
    return { outcome: 'invalid' };
  }
  if (await ports.suppression.isSuppressed({ profileKey: profile.profileKey })) {
    return request.onlyChecksUrl ? { outcome: 'notFound' } : organisationAt(ports, request, profile);
  }
  if (profile.network === undefined && !(await ports.holds(profile))) {
    return { outcome: 'invalid' };
  }
  return request.onlyChecksUrl ? { outcome: 'notFound' } : askSources(ports, request, profile);
}

/**
 * A website can be suppressed as a person's profile and still be an organization's; otherwise strangers could suppress
 * organizations. Only the store can tell, because it contains no suppressed people.
 */
async function organisationAt(
  ports: EnrichmentPorts,
  { accountId, signal }: EnrichmentRequest,
  profile: ProfileUrl,
): Promise<Enrichment> {
  const store = ports.sources.find(({ name }) => name === 'store');
  if (store === undefined || profile.network !== undefined || profile.profileKey.includes('/')) {
    return { outcome: 'notFound' };
  }
  const answer = await askOne(ports, store, { accountId, profile, signal });
  return answer !== undefined && 'profile' in answer && answer.profile.kind === 'organisation'
    ? (found(ports, profile, answer) ?? { outcome: 'notFound' })
    : { outcome: 'notFound' };
}

async function askSources(
  ports: EnrichmentPorts,
  { accountId, maxAgeSeconds, signal }: EnrichmentRequest,
  profile: ProfileUrl,
): Promise<Enrichment> {
  const notBefore =
    maxAgeSeconds === undefined ? undefined : new Date(ports.now().getTime() - maxAgeSeconds * 1_000);
  const question = { accountId, profile, notBefore, signal };
  const failures: SourceFailure[] = [];
  for (const source of ports.sources) {
    const answer = await askOne(ports, source, question);
    if (answer instanceof SourceFailure) {
      failures.push(answer);
    } else if (answer?.outcome === 'found') {
      const outcome = await outcomeOf(ports, profile, answer);
      if (outcome !== undefined) {
        return outcome;
      }
    }
  }
  return failures.length > 0 ? { outcome: 'unanswered', failures } : { outcome: 'notFound' };
}

async function askOne(
  { onSourceFailed }: EnrichmentPorts,
  source: ProfileSource,
  question: ProfileQuestion,
): Promise<SourceAnswer | SourceFailure | undefined> {
  try {
    return await source.find(question);
  } catch (error) {
    onSourceFailed(source.name, question.accountId, error);
    return error instanceof SourceFailure
      ? error
      : new SourceFailure('internal', 'A profile source failed.', { cause: error });
  }
}

async function outcomeOf(
  ports: EnrichmentPorts,
  profile: ProfileUrl,
  answer: FoundAnswer,
): Promise<EnrichmentOutcome | undefined> {
  const outcome = found(ports, profile, answer);
  if (outcome === undefined) {
    return undefined;
  }
  // The person may have opted out under another profile, or a moment ago.
  const { profileKey } = profile;
  const recognition = { profileKey, sameAs: answer.sameAs, ...recognitionOf(outcome.profile) };
  return (await ports.suppression.isSuppressed(recognition)) ? { outcome: 'notFound' } : outcome;
}

type FoundAnswer = Extract<SourceAnswer, { outcome: 'found' }>;

/** Returns undefined if too little of the source's answer remains for the profile to count as found. */
function found(
  { now }: EnrichmentPorts,
  { profileUrl }: ProfileUrl,
  { profile, provenance, answeredAt }: FoundAnswer,
): Extract<EnrichmentOutcome, { outcome: 'found' }> | undefined {
  const clean = cleanProfile(profile);
  return isFound(clean)
    ? {
        outcome: 'found',
        profile: { profile_url: profileUrl, ...clean },
        provenance: Object.fromEntries(Object.entries(provenance).filter(([field]) => field in clean)),
        ageSeconds: Math.max(0, Math.floor((now().getTime() - answeredAt.getTime()) / 1_000)),
      }
    : undefined;
}

/** Returns the other identifiers by which a suppressed person is recognized. */
export function recognitionOf(profile: EnrichedProfile): Omit<Recognition, 'profileKey'> {
  return {
    fullName: profile.full_name,
    firstName: profile.first_name,
    lastName: profile.last_name,
    companyDomain: profile.company_domain,
    companyName: profile.company,
    website: profile.website,
  };
}
