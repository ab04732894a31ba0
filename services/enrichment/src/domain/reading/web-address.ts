import { getDomain } from 'tldts';

/** Sites that host pages of many organizations: the site's domain identifies none of them. */
const sharedSites = new Set(
  (
    'about.me angel.co apple.com bandcamp.com behance.net bit.ly bitbucket.org crunchbase.com discord.com discord.gg ebay.com etsy.com ' +
    'eventbrite.com facebook.com fb.com fb.me gitlab.com github.com google.com goo.gl indiegogo.com instagram.com kickstarter.com ' +
    'linkedin.com linktr.ee lnkd.in medium.com meetup.com patreon.com pinterest.com reddit.com soundcloud.com spotify.com t.me ' +
    'tiktok.com tumblr.com twitch.tv twitter.com vimeo.com vk.com wa.me wellfound.com whatsapp.com wikipedia.org x.com xing.com ' +
    'yelp.com youtu.be youtube.com'
  ).split(' '),
);

/**
 * Returns the registrable domain of a website, in lower case and ASCII. Undefined for a page on a shared site, whose
 * domain would merge many companies into one.
 */
export function readDomain(text: string): string | undefined {
  const url = readUrl(text);
  if (url === undefined) {
    return undefined;
  }
  const domain = getDomain(url.hostname, { allowPrivateDomains: true });
  if (domain === null || domain.length > 253) {
    return undefined;
  }
  const isPage =
    url.pathname.length > 1 || url.search !== '' || !/^(?:www\.)?[^.]+\.[^.]+$/.test(url.hostname);
  return sharedSites.has(domain) && isPage ? undefined : domain;
}

/** Returns a URL, with `https` if the source gives no scheme. */
export function readWebsite(text: string): string | undefined {
  const url = readUrl(text);
  return url && url.href.length <= 2_048 ? url.href : undefined;
}

function readUrl(text: string): URL | undefined {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > 2_048 || /[\s@]/.test(trimmed)) {
    return undefined;
  }
  const url = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`);
  const isWeb =
    url !== null && /^https?:$/.test(url.protocol) && /[a-z]\.?$|\.xn--[a-z\d-]+\.?$/.test(url.hostname);
  return isWeb && url.hostname.includes('.') ? url : undefined;
}
