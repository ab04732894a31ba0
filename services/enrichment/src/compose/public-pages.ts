import { createAddressGuard, createOutside, createRateLimiter } from '@mailproof/service-kit';
import { programName } from '@mailproof/service-kit/public-pages';
import { createRobots } from '../adapters/outside/robots.ts';
import type { PublicPageOptions } from '../adapters/outside/visit-page.ts';
import { createSuppressionCheck } from '../adapters/postgres/privacy/suppression-check.ts';
import { createAwaitTurn } from '../adapters/redis/await-turn.ts';
import { deniedHosts } from '../domain/public-page/forbidden-pages.ts';
import type { ProfilesOptions } from './profiles.ts';

/** What reads public pages, for profiles and for seeds; undefined if the operator has not turned it on. */
export type PublicPages = { readonly options: PublicPageOptions; close(): Promise<void> } | undefined;

export function composePublicPages({
  config,
  pool,
  redis,
  now,
  outside: overrides,
}: Omit<ProfilesOptions, 'events' | 'publicPages'>): PublicPages {
  if (!config.PUBLIC_PAGES_ENABLED) {
    return undefined;
  }
  const guard = createAddressGuard(config.OUTBOUND_ALLOWED_PRIVATE_RANGES);
  const outside = createOutside({ ...overrides, guard, allowsHttp: true, ports: [80, 443] });
  const userAgent = `${programName}/1.0 (+${config.PUBLIC_PAGES_CONTACT_URL})`;
  return {
    options: {
      outside,
      robots: createRobots({ outside, userAgent, now }),
      suppression: createSuppressionCheck(pool, config.SUPPRESSION_HASH_KEY),
      awaitTurn: createAwaitTurn(createRateLimiter(redis, 'enrichment')),
      deniedHosts: [...deniedHosts, ...config.PUBLIC_PAGES_DENIED_HOSTS],
      userAgent,
      now,
    },
    close: outside.close,
  };
}
