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
  /** Waits for a turn within the provider's rate. Throws ProviderFault `rate_limited` when none comes in time. */
  readonly awaitTurn: (subject: string, perSecond: number, signal: AbortSignal) => Promise<void>;
  readonly now: () => Date;
}

/** A provider that refuses our request is left alone for so long: it will refuse the next one, too, and may lock the account. */
const refusedPauseMs = 60_000;

/** The accounts' own providers as a source: each account's is asked for that account alone. */
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

/** Asks once, in turn; what is asked by hand comes this way, too. */
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

/** The moment of an answer is that of the question, so that it is never younger than the settings it was asked by. */
function answerOf(
  provider: ProfileProvider,
  profile: EnrichedProfile | undefined,
  saidAt: Date,
): SourceAnswer {
  if (profile === undefined) {
    return { outcome: 'notFound', saidAt };
  }
  const origin: FieldProvenance = {
    source: provider.settings.name,
    kind: 'own_provider',
    licence: 'as agreed with your provider',
    date: saidAt.toISOString().slice(0, 10),
  };
  const fields = Object.keys(profile) as EnrichedField[];
  return {
    outcome: 'found',
    profile,
    provenance: Object.fromEntries(fields.map(field => [field, origin])),
    saidAt,
  };
}

const words: Readonly<Record<ProviderFailure, string>> = {
  refused: 'refused our request, so a secret header may be wrong',
  rate_limited: 'was asked as often as it may be',
  unexpected_status: 'answered with a status that says nothing of the profile',
  not_json: 'did not answer with JSON',
  not_allowed: 'stands where nobody may be contacted',
  unreachable: 'could not be reached',
  too_late: 'did not answer in time',
  too_large: 'answered with too much',
  not_readable: 'answered in a form that cannot be read',
  secret_not_readable: 'has a secret that cannot be opened any more; enter it again',
};

function failureOf(reason: ProviderFailure, status: number | null): SourceFailure {
  const answered = status === null ? '' : ` (HTTP ${status})`;
  return new SourceFailure(reason, `Your own provider of profiles ${words[reason]}${answered}.`);
}
