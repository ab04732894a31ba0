import {
  createAddressGuard,
  createOutside,
  createRateLimiter,
  type OutsideOptions,
} from '@mailproof/service-kit';
import { programName } from '@mailproof/service-kit/public-pages';
import type { Redis } from 'ioredis';
import type { Pool } from 'pg';
import { createRobots } from '../adapters/outside/robots.ts';
import type { PublicPageOptions } from '../adapters/outside/visit-page.ts';
import { createSuppressionCheck } from '../adapters/postgres/privacy/suppression-check.ts';
import { createAwaitTurn } from '../adapters/redis/await-turn.ts';
import type { Config } from '../config.ts';
import { deniedHosts } from '../domain/public-page/forbidden-pages.ts';

/** Test overrides for outside connections: name resolution, ports and trusted certificate authorities. */
export type OutsideOverrides = Pick<OutsideOptions, 'lookup' | 'connectPort' | 'extraCa'>;

interface PublicPagesOptions {
  readonly config: Config;
  readonly pool: Pool;
  readonly redis: Redis;
  readonly now: () => Date;
  readonly outside?: OutsideOverrides | undefined;
}

/** What reads public pages, for profiles and for seeds; undefined if the operator has not turned it on. */
export type PublicPages = { readonly options: PublicPageOptions; close(): Promise<void> } | undefined;

export function composePublicPages({
  config,
  pool,
  redis,
  now,
  outside: overrides,
}: PublicPagesOptions): PublicPages {
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
