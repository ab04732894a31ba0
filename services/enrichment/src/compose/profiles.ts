import { isIP } from 'node:net';
import {
  createAddressGuard,
  createOutside,
  createRateLimiter,
  createSealer,
  type Recurring,
  SealFault,
  startRecurring,
} from '@mailproof/service-kit';
import { programName } from '@mailproof/service-kit/public-pages';
import type { AccountId } from '@mailproof/shared-types';
import type { Redis } from 'ioredis';
import type { Pool } from 'pg';
import { createAskProvider } from '../adapters/outside/ask-provider.ts';
import { createPublicPageSource, isPageAskable } from '../adapters/outside/public-page-source.ts';
import { createSuppressionCheck } from '../adapters/postgres/privacy/suppression-check.ts';
import {
  createOperatorAnswers,
  createPageAnswers,
  createProviderAnswers,
  sweepProfileAnswers,
} from '../adapters/postgres/profile-answers.ts';
import {
  createOperatorSpend,
  createProfileProviderStore,
  resealProviderSecrets,
} from '../adapters/postgres/profile-provider-store.ts';
import { createStoredProfiles } from '../adapters/postgres/stored-profiles.ts';
import { readOperatorProviders } from '../adapters/read-operator-providers.ts';
import { createAwaitTurn } from '../adapters/redis/await-turn.ts';
import type { Config } from '../config.ts';
import type { SuppressionCheck } from '../domain/privacy/subjects.ts';
import {
  type Enrichment,
  type EnrichmentRequest,
  enrichProfile,
} from '../domain/profile-enrichment/enrich-profile.ts';
import type { ProfileSource } from '../domain/profile-enrichment/profile-source.ts';
import { rememberedSource } from '../domain/profile-enrichment/remembered-source.ts';
import { portsFor } from '../domain/profile-enrichment/sandbox-profiles.ts';
import { createOperatorProviderSource } from '../domain/profile-provider/operator-providers.ts';
import { createOwnProviderSource } from '../domain/profile-provider/own-provider-source.ts';
import {
  type ProfileProvider,
  ProviderFault,
  type ProviderSecrets,
} from '../domain/profile-provider/profile-provider.ts';
import { type ClassifyHost, stepsOf, takesProfile } from '../domain/profile-provider/provider-settings.ts';
import { setUpProvider, tryProvider } from '../domain/profile-provider/provider-setup.ts';
import type { Events } from '../events.ts';
import { profileProviderHandlers } from '../http/profile-provider.ts';
import type { OutsideOverrides, PublicPages } from './public-pages.ts';

export interface ProfilesOptions {
  readonly config: Config;
  readonly pool: Pool;
  readonly redis: Redis;
  readonly events: Events;
  readonly now: () => Date;
  readonly outside?: OutsideOverrides | undefined;
  readonly publicPages: PublicPages;
}

export interface Profiles {
  readonly enrich: (request: EnrichmentRequest) => Promise<Enrichment>;
  readonly handlers: ReturnType<typeof profileProviderHandlers>;
  start(): void;
  close(): Promise<void>;
}

const sealedSecretsType = 'mailproof-provider-secrets';
const sweepEveryMs = 600_000;
const hourMs = 3_600_000;
/** How long a negative result of a provider or a page is cached. */
const notFoundForMs = 24 * hourMs;
/** The maximum number of cached results of providers, and likewise of pages; those that expire next are evicted. */
const answersMax = 1_000_000;
/** Includes the provider's response time, the wait for its turn and reading the secrets. */
const providerFlightMsMax = 22_000;
const pageFlightMsMax = 22_000;

/** Composes profile enrichment: the store, the accounts' own providers, public pages, and their cached answers. */
export function composeProfiles(options: ProfilesOptions): Profiles {
  const { config, pool, events, now } = options;
  const suppression = createSuppressionCheck(pool, config.SUPPRESSION_HASH_KEY);
  const awaitTurn = createAwaitTurn(createRateLimiter(options.redis, 'enrichment'));
  const provider = composeProvider(options, awaitTurn);
  const pages = composePage(options, suppression);
  const store = createStoredProfiles(pool);
  const trial = { ...provider.ports, suppression };
  const ports = {
    holds: store.holds,
    suppression,
    sources: [store, provider.remembered(suppression), ...provider.ofOperator(suppression), ...pages],
    now,
    onSourceFailed: events.profileSourceFailed,
  };
  let sweep: Recurring | undefined;
  return {
    async enrich(request) {
      const enrichment = await enrichProfile(portsFor(ports, request), request);
      events.profileLookedUp(request.accountId, enrichment.outcome);
      return enrichment;
    },
    handlers: profileProviderHandlers({
      providers: provider.ports.providers,
      setUp: (accountId, settings) => setUpProvider(provider.ports, accountId, settings),
      tryOut: (accountId, profile, signal) => tryProvider(trial, accountId, profile, signal),
    }),
    start() {
      sweep = startRecurring({
        everyMs: sweepEveryMs,
        async work() {
          await sweepProfileAnswers(pool, now(), answersMax);
          await resealProviderSecrets(pool, provider.sealer);
        },
        onFailed: events.profileSweepFailed,
      });
    },
    async close() {
      await sweep?.close();
      await provider.close();
    },
  };
}

type AwaitTurn = ReturnType<typeof createAwaitTurn>;

function composeProvider({ config, pool, now, outside: overrides }: ProfilesOptions, awaitTurn: AwaitTurn) {
  const guard = createAddressGuard(config.OUTBOUND_ALLOWED_PRIVATE_RANGES);
  const outside = createOutside({ ...overrides, guard, allowsHttp: true, connectionsMax: 16 });
  const sealer = createSealer(config.PROVIDER_ENCRYPTION_KEYS, sealedSecretsType);
  const providers = createProfileProviderStore(pool);
  const classifyHost = createClassifyHost(config.OUTBOUND_ALLOWED_PRIVATE_RANGES);
  const userAgent = `${programName}/1.0`;
  const file = config.PROFILE_PROVIDERS_FILE;
  const operators = file === undefined ? undefined : readOperatorProviders(file, classifyHost);
  const ports = {
    providers,
    classifyHost,
    awaitTurn,
    now,
    ask: createAskProvider({ outside, classifyHost, userAgent }),
    async openSecrets({ accountId, sealedSecrets }: ProfileProvider): Promise<ProviderSecrets> {
      try {
        return sealedSecrets === null
          ? {}
          : (JSON.parse(await sealer.open(sealedSecrets, accountId)) as ProviderSecrets);
      } catch (error) {
        throw error instanceof SealFault
          ? new ProviderFault('secret_not_readable', null, { cause: error })
          : error;
      }
    },
    sealSecrets: (accountId: AccountId, secrets: ProviderSecrets) =>
      sealer.seal(JSON.stringify(secrets), accountId),
  };
  return {
    ports,
    sealer,
    close: outside.close,
    remembered: (suppression: SuppressionCheck): ProfileSource =>
      rememberedSource({
        source: createOwnProviderSource(ports),
        answers: createProviderAnswers(pool),
        suppression,
        // Changed settings get another key, so that no request joins one started with the old settings.
        async scopeOf({ accountId, profile }) {
          const known = await providers.find(accountId);
          return known && stepsOf(known.settings).some(step => takesProfile(step, profile))
            ? `${accountId} ${known.updatedAt.getTime()}`
            : undefined;
        },
        foundForMs: config.PROVIDER_ANSWERS_KEPT_HOURS * hourMs,
        notFoundForMs,
        flightMsMax: providerFlightMsMax,
        now,
      }),
    ofOperator: (suppression: SuppressionCheck): ProfileSource[] =>
      operators === undefined
        ? []
        : [
            rememberedSource({
              source: createOperatorProviderSource(
                { ask: ports.ask, awaitTurn, spend: createOperatorSpend(pool), now },
                operators,
              ),
              answers: createOperatorAnswers(pool),
              suppression,
              scopeOf: async ({ profile }) =>
                stepsOf(operators.settings).some(step => takesProfile(step, profile))
                  ? 'operator'
                  : undefined,
              foundForMs: config.PROVIDER_ANSWERS_KEPT_HOURS * hourMs,
              notFoundForMs,
              flightMsMax: providerFlightMsMax,
              now,
            }),
          ],
  };
}

/** In a lab a provider may be at an allowed private address and use plain HTTP; everywhere else it needs HTTPS. */
function createClassifyHost(allowedRanges: readonly string[]): ClassifyHost {
  const guard = createAddressGuard(allowedRanges);
  const publicGuard = createAddressGuard([]);
  return host => {
    if (isIP(host) === 0 || publicGuard(host).allowed) {
      return 'public';
    }
    return guard(host).allowed ? 'lab' : 'refused';
  };
}

function composePage(
  { config, pool, now, publicPages }: ProfilesOptions,
  suppression: SuppressionCheck,
): readonly ProfileSource[] {
  if (publicPages === undefined) {
    return [];
  }
  const { deniedHosts } = publicPages.options;
  return [
    rememberedSource({
      source: createPublicPageSource(publicPages.options),
      answers: createPageAnswers(pool),
      suppression,
      scopeOf: async ({ profile }) => (isPageAskable(profile, deniedHosts) ? 'page' : undefined),
      foundForMs: config.PAGE_ANSWERS_KEPT_HOURS * hourMs,
      notFoundForMs,
      flightMsMax: pageFlightMsMax,
      now,
    }),
  ];
}
