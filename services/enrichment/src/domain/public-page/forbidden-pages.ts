/** The machine-readable content of a page. */
export interface PageFacts {
  /** The parsed contents of its `application/ld+json` scripts. */
  readonly jsonLd: readonly unknown[];
  /** Its `meta` elements: the first content by `property` or `name`, in lower case. */
  readonly meta: ReadonlyMap<string, string>;
  /** Its indexing directives, from `meta name=robots` and the like, in lower case. */
  readonly robots: readonly string[];
}

/**
 * Hosts whose terms forbid automated reading of their pages, or that require a sign-in. Their profiles are looked up in
 * all other sources. Includes subdomains.
 */
export const deniedHosts: readonly string[] = [
  'linkedin.com',
  'xing.com',
  'facebook.com',
  'fb.com',
  'instagram.com',
  'threads.net',
  'threads.com',
  'x.com',
  'twitter.com',
  'tiktok.com',
  'crunchbase.com',
  'wellfound.com',
  'angel.co',
  'researchgate.net',
  'scholar.google.com',
  'glassdoor.com',
  'indeed.com',
  'zoominfo.com',
  'apollo.io',
  'rocketreach.co',
  'theorg.com',
  'pitchbook.com',
];

/** Whether the host, or a domain above it, is denied. */
export function isDeniedHost(hostname: string, denied: readonly string[]): boolean {
  const host = hostname.toLowerCase().replace(/\.$/, '');
  return denied.some(name => host === name || host.endsWith(`.${name}`));
}
