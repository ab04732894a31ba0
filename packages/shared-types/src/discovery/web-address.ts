import { getDomain } from 'tldts';

/** Sites that host pages of many organizations: the site's domain identifies none of them. */
const sharedSites = new Set(
  (
    'about.me academia.edu amazon.com angel.co apple.com bandcamp.com beacons.ai behance.net bit.ly ' +
    'bitbucket.org bsky.app business.site calendly.com crunchbase.com dev.to discord.com discord.gg ' +
    'ebay.com etsy.com eventbrite.com facebook.com fb.com fb.me fiverr.com github.com gitlab.com ' +
    'godaddysites.com goo.gl google.com indiegogo.com instagram.com jimdo.com jimdosite.com ' +
    'kickstarter.com linkedin.com linktr.ee lnkd.in medium.com meetup.com orcid.org patreon.com ' +
    'pinterest.com quora.com reddit.com researchgate.net slideshare.net soundcloud.com spotify.com ' +
    'squarespace.com stackoverflow.com substack.com t.me threads.com threads.net tiktok.com tumblr.com twitch.tv ' +
    'twitter.com upwork.com vimeo.com vk.com wa.me weebly.com wellfound.com whatsapp.com ' +
    'wikipedia.org wordpress.com x.com xing.com yelp.com youtu.be youtube.com'
  ).split(' '),
);

/** Hosts of mailboxes: CRMs take the domain of a person's address for that of a company. */
const mailboxHosts = new Set(
  (
    '163.com 126.com aol.com bol.com.br freenet.de gmail.com gmx.at gmx.ch gmx.com gmx.de gmx.net googlemail.com ' +
    'hotmail.com hotmail.co.uk hotmail.de hotmail.fr icloud.com laposte.net libero.it live.com mac.com mail.ru me.com msn.com ' +
    'outlook.com outlook.de protonmail.com qq.com rediffmail.com rocketmail.com t-online.de web.de yahoo.co.in yahoo.co.jp ' +
    'yahoo.co.uk yahoo.com yahoo.de yahoo.fr ymail.com'
  ).split(' '),
);

/**
 * Returns the registrable domain of a website, in lower case and ASCII. Undefined for a page on a shared site and for a
 * host of mailboxes, whose domains would merge many companies into one.
 */
export function readDomain(text: string): string | undefined {
  const url = readUrl(text);
  if (url === undefined) {
    return undefined;
  }
  const domain = getDomain(url.hostname, { allowPrivateDomains: true });
  if (domain === null || domain.length > 253 || mailboxHosts.has(domain)) {
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
