import type {
  EnrichedField,
  EnrichedProfile,
  FieldProvenance,
  ProviderFailure,
} from '@mailproof/shared-types';
import {
  cleanProfile,
  isFound,
  type ProfileQuestion,
  type ProfileSource,
  type SourceAnswer,
  SourceFailure,
} from '../profile-enrichment/profile-source.ts';
import type { ProfileUrl } from '../profile-url/parse-profile-url.ts';
import {
  monthOf,
  type ProfileProvider,
  type ProfileProviderStore,
  ProviderFault,
  type ProviderSecrets,
  type ProviderStep,
} from './profile-provider.ts';
import { secretsOfStep, stepsOf, takesProfile } from './provider-settings.ts';

export interface OwnProviderPorts {
  readonly providers: Pick<ProfileProviderStore, 'find' | 'noteSuccess' | 'noteFailure' | 'spend'>;
  /** @throws ProviderFault `secret_not_readable` */
  readonly openSecrets: (provider: ProfileProvider) => Promise<ProviderSecrets>;
  readonly ask: AskStep;
  readonly awaitTurn: AwaitTurn;
  readonly now: () => Date;
}

/** Queries one provider. Throws ProviderFault. */
export type AskStep = (question: {
  readonly settings: ProviderStep;
  readonly secrets: ProviderSecrets;
  readonly profile: ProfileUrl;
  readonly signal: AbortSignal;
}) => Promise<EnrichedProfile | undefined>;

/** Waits for a turn within the provider's rate. Throws ProviderFault `rate_limited` if none is free in time. */
export type AwaitTurn = (subject: string, perSecond: number, signal: AbortSignal) => Promise<void>;

/**
 * How long a provider that refused our request is not queried: it would refuse the next one too, and may lock the
 * account.
 */
export const refusedPauseMs = 60_000;

/** Uses the accounts' own providers as a source: each provider is queried only for its account. */
export function createOwnProviderSource(ports: OwnProviderPorts): ProfileSource {
  return {
    name: 'provider',
    async find(question) {
      const provider = await ports.providers.find(question.accountId);
      if (
        provider === undefined ||
        !stepsOf(provider.settings).some(step => takesProfile(step, question.profile))
      ) {
        return undefined;
      }
      const startedAt = ports.now();
      const answer = await askNoting(ports, provider, question, startedAt);
      return answerOf(answer, {
        kind: 'own_provider',
        licence: 'as agreed with your provider',
        answeredAt: startedAt,
      });
    },
  };
}

/** What a provider knows. */
export interface StepAnswer {
  readonly step: ProviderStep;
  readonly profile: EnrichedProfile;
}

/** The fault of one of several providers. */
export interface StepFault {
  readonly step: ProviderStep;
  readonly fault: ProviderFault;
}

/**
 * Queries providers in order until one knows the profile. One that fails is skipped; if none knows the profile, the
 * faults tell that it may exist nevertheless.
 */
export async function askInOrder(
  steps: readonly ProviderStep[],
  { profile, signal }: Pick<ProfileQuestion, 'profile' | 'signal'>,
  ask: (step: ProviderStep, position: number) => Promise<EnrichedProfile | undefined>,
): Promise<{ readonly answer: StepAnswer | undefined; readonly faults: readonly StepFault[] }> {
  const faults: StepFault[] = [];
  for (const [position, step] of steps.entries()) {
    if (!takesProfile(step, profile)) {
      continue;
    }
    try {
      const known = await ask(step, position);
      if (known !== undefined && isFound(cleanProfile(known))) {
        return { answer: { step, profile: known }, faults };
      }
    } catch (error) {
      const isLate = !(error instanceof ProviderFault) && signal.aborted;
      if (!(error instanceof ProviderFault) && !isLate) {
        throw error;
      }
      faults.push({ step, fault: isLate ? new ProviderFault('too_late') : (error as ProviderFault) });
      if (signal.aborted) {
        break;
      }
    }
  }
  return { answer: undefined, faults };
}

/** Queries an account's providers within their rates and budgets; manual queries use this too. */
export async function askInTurn(
  ports: Pick<OwnProviderPorts, 'openSecrets' | 'ask' | 'awaitTurn' | 'providers' | 'now'>,
  provider: ProfileProvider,
  question: Pick<ProfileQuestion, 'profile' | 'signal'>,
  paused?: PausedStep,
) {
  const { accountId, settings } = provider;
  const { profile, signal } = question;
  return askInOrder(stepsOf(settings), question, async (step, position) => {
    const { name, requests_per_month: requestsMax, requests_per_second: perSecond } = step;
    if (paused?.name === name) {
      throw paused.fault;
    }
    const secrets = secretsOfStep(await ports.openSecrets(provider), step, position);
    // The first provider keeps the name under which the previous release counts its rate.
    await ports.awaitTurn(`provider:${accountId}${position === 0 ? '' : `:${name}`}`, perSecond, signal);
    const month = monthOf(ports.now());
    if (requestsMax !== null && !(await ports.providers.spend(accountId, name, month, requestsMax))) {
      throw new ProviderFault('budget_spent');
    }
    return ports.ask({ settings: step, secrets, profile, signal });
  });
}

/** A provider that is not queried for a while. */
interface PausedStep {
  readonly name: string;
  readonly fault: ProviderFault;
}

function pausedOf({ settings, lastFailure }: ProfileProvider, now: Date): PausedStep | undefined {
  return lastFailure?.reason === 'refused' && now.getTime() < lastFailure.at.getTime() + refusedPauseMs
    ? { name: lastFailure.provider ?? settings.name, fault: new ProviderFault('refused', lastFailure.status) }
    : undefined;
}

async function askNoting(
  ports: OwnProviderPorts,
  provider: ProfileProvider,
  question: ProfileQuestion,
  startedAt: Date,
): Promise<StepAnswer | undefined> {
  const paused = pausedOf(provider, startedAt);
  const { answer, faults } = await askInTurn(ports, provider, question, paused);
  const refused = faults.find(({ fault }) => fault.reason === 'refused' && fault !== paused?.fault);
  // Only a refusal causes a pause, and a pause lasts until its end: no other fault takes its place.
  const noted = refused ?? (paused === undefined ? faults[0] : undefined);
  if (noted !== undefined) {
    await ports.providers.noteFailure(provider, noted.step.name, noted.fault, startedAt);
  } else if (faults.length === 0) {
    await ports.providers.noteSuccess(provider, startedAt);
  }
  const [first] = faults;
  if (answer === undefined && first !== undefined) {
    throw failureOf(first, 'own');
  }
  return answer;
}

/** An answer is dated by its question, so that it is never newer than the settings used for it. */
export function answerOf(
  answer: StepAnswer | undefined,
  { kind, licence, answeredAt }: Pick<FieldProvenance, 'kind' | 'licence'> & { readonly answeredAt: Date },
): SourceAnswer {
  if (answer === undefined) {
    return { outcome: 'notFound', answeredAt };
  }
  const { step, profile } = answer;
  const origin: FieldProvenance = {
    source: step.name,
    kind,
    licence,
    date: answeredAt.toISOString().slice(0, 10),
  };
  const fields = Object.keys(profile) as EnrichedField[];
  return {
    outcome: 'found',
    profile,
    provenance: Object.fromEntries(fields.map(field => [field, origin])),
    answeredAt,
    ...(step.kept_hours !== null && { keptForMs: step.kept_hours * 3_600_000 }),
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
  budget_spent: 'has spent its budget of this month',
  secret_not_readable: 'has a secret that can no longer be decrypted; enter it again',
};

export function failureOf(
  { step, fault: { reason, status } }: StepFault,
  whose: 'own' | 'operator',
): SourceFailure {
  const answered = status === null ? '' : ` (HTTP ${status})`;
  return new SourceFailure(
    reason,
    whose === 'own'
      ? `Your own profile provider ${step.name} ${words[reason]}${answered}.`
      : // Only the operator can follow the advice.
        `A profile provider of this service ${words[reason].replace(/;.*/, '')}.`,
  );
}
