import type {
  EnrichedField,
  EnrichedProfile,
  FieldProvenance,
  ProviderFailure,
} from '@mailproof/shared-types';
import type { ProfileQuestion, ProfileSource, SourceAnswer } from '../profile-enrichment/profile-source.ts';
import { SourceFailure } from '../profile-enrichment/profile-source.ts';
import type { ProfileUrl } from '../profile-url/parse-profile-url.ts';
import {
  type ProfileProvider,
  type ProfileProviderStore,
  ProviderFault,
  type ProviderSecrets,
} from './profile-provider.ts';

export interface OwnProviderPorts {
  readonly providers: Pick<ProfileProviderStore, 'find' | 'noteSuccess' | 'noteFailure'>;
  /** @throws ProviderFault `secret_not_readable` */
  readonly openSecrets: (provider: ProfileProvider) => Promise<ProviderSecrets>;
  readonly ask: (question: {
    readonly settings: ProfileProvider['settings'];
    readonly secrets: ProviderSecrets;
    readonly profile: ProfileUrl;
    readonly signal: AbortSignal;
  }) => Promise<EnrichedProfile | undefined>;
  /** Waits for a turn within the provider's rate. Throws ProviderFault `rate_limited` if none is free in time. */
  readonly awaitTurn: (subject: string, perSecond: number, signal: AbortSignal) => Promise<void>;
  readonly now: () => Date;
}

/**
 * How long a provider that refused our request is not queried: it would refuse the next one too, and may lock the
 * account.
 */
const refusedPauseMs = 60_000;

/** Uses the accounts' own providers as a source: each provider is queried only for its account. */
export function createOwnProviderSource(ports: OwnProviderPorts): ProfileSource {
  return {
    name: 'provider',
    async find(question) {
      const provider = await ports.providers.find(question.accountId);
      if (provider === undefined) {
        return undefined;
      }
      const startedAt = ports.now();
      const { lastFailure } = provider;
      if (
        lastFailure?.reason === 'refused' &&
        startedAt.getTime() < lastFailure.at.getTime() + refusedPauseMs
      ) {
        throw failureOf('refused', lastFailure.status);
      }
      return answerOf(provider, await askNoting(ports, provider, question, startedAt), startedAt);
    },
  };
}

/** Queries once, within the rate limit; manual queries use this too. */
export async function askInTurn(
  ports: Pick<OwnProviderPorts, 'openSecrets' | 'ask' | 'awaitTurn'>,
  provider: ProfileProvider,
  { profile, signal }: Pick<ProfileQuestion, 'profile' | 'signal'>,
): Promise<EnrichedProfile | undefined> {
  const { accountId, settings } = provider;
  const secrets = await ports.openSecrets(provider);
  await ports.awaitTurn(`provider:${accountId}`, settings.requests_per_second, signal);
  return ports.ask({ settings, secrets, profile, signal });
}

async function askNoting(
  ports: OwnProviderPorts,
  provider: ProfileProvider,
  question: ProfileQuestion,
  startedAt: Date,
): Promise<EnrichedProfile | undefined> {
  try {
    const profile = await askInTurn(ports, provider, question);
    await ports.providers.noteSuccess(provider, startedAt);
    return profile;
  } catch (error) {
    const fault =
      error instanceof ProviderFault
        ? error
        : question.signal.aborted
          ? new ProviderFault('too_late')
          : undefined;
    if (fault === undefined) {
      throw error;
    }
    await ports.providers.noteFailure(provider, fault, startedAt);
    throw failureOf(fault.reason, fault.status);
  }
}

/** An answer is dated by its question, so that it is never newer than the settings used for it. */
function answerOf(
  provider: ProfileProvider,
  profile: EnrichedProfile | undefined,
  answeredAt: Date,
): SourceAnswer {
  if (profile === undefined) {
    return { outcome: 'notFound', answeredAt };
  }
  const origin: FieldProvenance = {
    source: provider.settings.name,
    kind: 'own_provider',
    licence: 'as agreed with your provider',
    date: answeredAt.toISOString().slice(0, 10),
  };
  const fields = Object.keys(profile) as EnrichedField[];
  return {
    outcome: 'found',
    profile,
    provenance: Object.fromEntries(fields.map(field => [field, origin])),
    answeredAt,
  };
}

const words: Readonly<Record<ProviderFailure, string>> = {
  refused: 'rejected our request; check the secret headers',
  rate_limited: 'has reached its rate limit',
  unexpected_status: 'responded with an unexpected status',
  not_json: 'did not respond with JSON',
  not_allowed: 'has an address that is not allowed',
  unreachable: 'could not be reached',
  too_late: 'did not respond in time',
  too_large: 'sent a response that is too large',
  not_readable: 'responded in a format that cannot be read',
  secret_not_readable: 'has a secret that can no longer be decrypted; enter it again',
};

function failureOf(reason: ProviderFailure, status: number | null): SourceFailure {
  const answered = status === null ? '' : ` (HTTP ${status})`;
  return new SourceFailure(reason, `Your own profile provider ${words[reason]}${answered}.`);
}
