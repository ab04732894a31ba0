import type { AccountId, EnrichedProfile, EnrichmentOutcome } from '@mailproof/shared-types';
import type { Recognition, SuppressionCheck } from '../privacy/suppression.ts';
import { type ProfileUrl, parseProfileUrl } from '../profile-url/parse-profile-url.ts';
import { cleanProfile, isFound } from './clean-profile.ts';
import {
  type ProfileQuestion,
  type ProfileSource,
  type SourceAnswer,
  SourceFailure,
} from './profile-source.ts';

export interface EnrichmentPorts {
  /** Whether the store holds the URL, and with it vouches for what no pattern knows. */
  readonly holds: (profile: ProfileUrl) => Promise<boolean>;
  readonly suppression: Pick<SuppressionCheck, 'isSuppressed'>;
  /** In the order in which they are asked. */
  readonly sources: readonly ProfileSource[];
  readonly now: () => Date;
  /** Told of a source that could not say; nothing of the profile. */
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
  /** It is the URL of no profile. */
  | { readonly outcome: 'invalid' }
  /** Nobody who answered knows the profile, but not everybody answered, so that nobody can say that it is not known. */
  | { readonly outcome: 'unanswered'; readonly failures: readonly SourceFailure[] };

/**
 * Looks a profile up: asks the sources in order until one knows it. A source that fails is passed over. Of people who
 * asked to be left out nothing is answered, fetched or kept, whichever source would know them (ADR 0032).
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
 * A website can be left out as somebody's profile, and be an organisation's, too; else strangers could leave organisations
 * out. Only the store can tell: of people who asked to be left out it has none.
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
      : new SourceFailure('internal', 'A source of profiles failed.', { cause: error });
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
  // They may have asked under another profile of theirs, or a moment ago.
  const { profileKey } = profile;
  const recognition = { profileKey, sameAs: answer.sameAs, ...recognitionOf(outcome.profile) };
  return (await ports.suppression.isSuppressed(recognition)) ? { outcome: 'notFound' } : outcome;
}

type FoundAnswer = Extract<SourceAnswer, { outcome: 'found' }>;

/** Nothing where too little is left of what the source said for the profile to count as found. */
function found(
  { now }: EnrichmentPorts,
  { profileUrl }: ProfileUrl,
  { profile, provenance, saidAt }: FoundAnswer,
): Extract<EnrichmentOutcome, { outcome: 'found' }> | undefined {
  const clean = cleanProfile(profile);
  return isFound(clean)
    ? {
        outcome: 'found',
        profile: { profile_url: profileUrl, ...clean },
        provenance: Object.fromEntries(Object.entries(provenance).filter(([field]) => field in clean)),
        ageSeconds: Math.max(0, Math.floor((now().getTime() - saidAt.getTime()) / 1_000)),
      }
    : undefined;
}

/** By what else a person is known who asked to be left out. */
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
