/**
 * Hosts whose terms forbid reading their pages by program, or that put them behind a sign-in. Their profiles are looked up
 * everywhere else. Sub-domains are meant as well.
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
