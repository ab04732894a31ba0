import { isIP } from 'node:net';
import {
  createAddressGuard,
  createOutside,
  createRateLimiter,
  createSealer,
  createServiceGuard,
  type OutsideOptions,
  type Recurring,
  type Route,
  SealFault,
  startRecurring,
} from '@mailproof/service-kit';
import { type AccountId, enrichProfile as enrichProfileOperation } from '@mailproof/shared-types';
import type { Redis } from 'ioredis';
import type { Pool } from 'pg';
import { createAskProvider } from '../adapters/outside/ask-provider.ts';
import { createPublicPageSource, isPageAskable } from '../adapters/outside/public-page-source.ts';
import { createRobots } from '../adapters/outside/robots.ts';
import { createSuppressionCheck } from '../adapters/postgres/privacy/suppression-check.ts';
import {
  createPageAnswers,
  createProviderAnswers,
  sweepProfileAnswers,
} from '../adapters/postgres/profile-answers.ts';
import { createProfileProviderStore } from '../adapters/postgres/profile-provider-store.ts';
import { resealProviderSecrets } from '../adapters/postgres/reseal-provider-secrets.ts';
import { createStoredProfiles } from '../adapters/postgres/stored-profiles.ts';
import { createAwaitTurn } from '../adapters/redis/await-turn.ts';
import type { Config } from '../config.ts';
import type { SuppressionCheck } from '../domain/privacy/suppression.ts';
import { enrichProfile } from '../domain/profile-enrichment/enrich-profile.ts';
import type { ProfileSource } from '../domain/profile-enrichment/profile-source.ts';
import { rememberedSource } from '../domain/profile-enrichment/remembered-source.ts';
import { createOwnProviderSource } from '../domain/profile-provider/own-provider-source.ts';
import {
  type ProfileProvider,
  ProviderFault,
  type ProviderSecrets,
} from '../domain/profile-provider/profile-provider.ts';
import type { PlaceOfHost } from '../domain/profile-provider/provider-settings.ts';
import { setUpProvider } from '../domain/profile-provider/provider-setup.ts';
import { tryProvider } from '../domain/profile-provider/try-provider.ts';
import { deniedHosts } from '../domain/public-page/denied-hosts.ts';
import type { Events } from '../events.ts';
import { deleteProfileProviderRoute } from '../http/delete-profile-provider.ts';
import { enrichProfileRoute } from '../http/enrich-profile.ts';
import { getProfileProviderRoute } from '../http/get-profile-provider.ts';
import { putProfileProviderRoute } from '../http/put-profile-provider.ts';
import { testProfileProviderRoute } from '../http/test-profile-provider.ts';

/** How a test reaches the outside: names and ports that stand for others, and who vouches for certificates. */
export type OutsideOverrides = Pick<OutsideOptions, 'lookup' | 'connectPort' | 'extraCa'>;

export interface ProfilesOptions {
  readonly config: Config;
  readonly pool: Pool;
  readonly redis: Redis;
  readonly events: Events;
  readonly now: () => Date;
  readonly outside?: OutsideOverrides | undefined;
}

export interface Profiles {
  readonly routes: readonly Route[];
  start(): void;
  close(): Promise<void>;
}

/** What robots.txt and pages call us. */
const programName = 'Mailproof';
const sealedSecretsType = 'mailproof-provider-secrets';
const sweepEveryMs = 600_000;
const hourMs = 3_600_000;
/** Beside the provider's own time, the wait for its turn and the look at the secrets. */
const providerFlightMsMax = 22_000;
const pageFlightMsMax = 22_000;

/** Profile enrichment: the sources of profiles, the accounts' own providers, public pages, and what they said. */
export function composeProfiles(options: ProfilesOptions): Profiles {
  const { config, pool, events, now } = options;
  const guardOf = createServiceGuard('enrichment', config.SERVICE_PEER_KEYS);
  const suppression = createSuppressionCheck(pool, config.SUPPRESSION_HASH_KEY);
  const awaitTurn = createAwaitTurn(createRateLimiter(options.redis, 'enrichment'));
  const provider = composeProvider(options, awaitTurn);
  const page = composePage(options, suppression, awaitTurn);
  const store = createStoredProfiles(pool);
  const trial = { ...provider.ports, suppression };
  const ports = {
    holds: store.holds,
    suppression,
    sources: [store, provider.remembered(suppression), ...page.sources],
    now,
    onSourceFailed: events.profileSourceFailed,
  };
  let sweep: Recurring | undefined;
  return {
    routes: [
      enrichProfileRoute(guardOf(enrichProfileOperation), async request => {
        const enrichment = await enrichProfile(ports, request);
        events.profileLookedUp(request.accountId, enrichment.outcome);
        return enrichment;
      }),
      getProfileProviderRoute(guardOf, provider.ports.providers),
      putProfileProviderRoute(guardOf, (accountId, settings) =>
        setUpProvider(provider.ports, accountId, settings),
      ),
      deleteProfileProviderRoute(guardOf, provider.ports.providers.remove),
      testProfileProviderRoute(guardOf, (accountId, profile, signal) =>
        tryProvider(trial, accountId, profile, signal),
      ),
    ],
    start() {
      sweep = startRecurring({
        everyMs: sweepEveryMs,
        async work() {
          await sweepProfileAnswers(pool, now(), config.PROFILE_ANSWERS_MAX);
          await resealProviderSecrets(pool, provider.sealer);
        },
        onFailed: events.profileSweepFailed,
      });
    },
    async close() {
      await sweep?.close();
      await Promise.all([provider.close(), page.close()]);
    },
  };
}

type AwaitTurn = ReturnType<typeof createAwaitTurn>;

function composeProvider({ config, pool, now, outside: overrides }: ProfilesOptions, awaitTurn: AwaitTurn) {
  const guard = createAddressGuard(config.OUTBOUND_ALLOWED_PRIVATE_RANGES);
  const outside = createOutside({ ...overrides, guard, allowsHttp: true, connectionsMax: 16 });
  const sealer = createSealer(config.PROVIDER_ENCRYPTION_KEYS, sealedSecretsType);
  const providers = createProfileProviderStore(pool);
  const placeOf = createPlaceOf(config.OUTBOUND_ALLOWED_PRIVATE_RANGES);
  const userAgent = `${programName}/1.0`;
  const ports = {
    providers,
    placeOf,
    awaitTurn,
    now,
    ask: createAskProvider({ outside, placeOf, userAgent }),
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
        // Settings that changed on the way are another place, so that nobody joins a flight under the old ones.
        async placeOf({ accountId }) {
          const known = await providers.find(accountId);
          return known && `${accountId} ${known.updatedAt.getTime()}`;
        },
        foundForMs: config.PROVIDER_ANSWERS_KEPT_HOURS * hourMs,
        notFoundForMs: config.PROFILES_NOT_FOUND_KEPT_HOURS * hourMs,
        flightMsMax: providerFlightMsMax,
        now,
      }),
  };
}

/** In a lab a provider may stand at an allowed private address and speak plain HTTP; everywhere else it needs HTTPS. */
function createPlaceOf(allowedRanges: readonly string[]): PlaceOfHost {
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
  { config, pool, now, outside: overrides }: ProfilesOptions,
  suppression: SuppressionCheck,
  awaitTurn: AwaitTurn,
): { readonly sources: readonly ProfileSource[]; close(): Promise<void> } {
  if (!config.PUBLIC_PAGES_ENABLED) {
    return { sources: [], close: async () => undefined };
  }
  const guard = createAddressGuard(config.OUTBOUND_ALLOWED_PRIVATE_RANGES);
  const outside = createOutside({ ...overrides, guard, allowsHttp: true, ports: [80, 443] });
  const userAgent = `${programName}/1.0 (+${config.PUBLIC_PAGES_CONTACT_URL})`;
  const denied = [...deniedHosts, ...config.PUBLIC_PAGES_DENIED_HOSTS];
  const source = createPublicPageSource({
    outside,
    robots: createRobots({ outside, userAgent, programName, now }),
    suppression,
    awaitTurn,
    deniedHosts: denied,
    userAgent,
    programName,
    now,
  });
  const remembered = rememberedSource({
    source,
    answers: createPageAnswers(pool),
    suppression,
    placeOf: async ({ profile }) => (isPageAskable(profile, denied) ? 'page' : undefined),
    foundForMs: config.PAGE_ANSWERS_KEPT_HOURS * hourMs,
    notFoundForMs: config.PROFILES_NOT_FOUND_KEPT_HOURS * hourMs,
    flightMsMax: pageFlightMsMax,
    now,
  });
  return { sources: [remembered], close: outside.close };
}
