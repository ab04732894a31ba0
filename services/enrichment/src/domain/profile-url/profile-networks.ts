/** Whether a profile is of a person or an organization; undefined if its URL does not tell. */
export type ProfileKind = 'person' | 'organisation';

/** One form of a network's profile URLs. */
export interface ProfileForm {
  /** The form as shown in documentation, with `{handle}` in place of the profile's handle. */
  readonly form: string;
  /** Undefined when people and organizations share one namespace. */
  readonly kind?: ProfileKind;
  /** Path segments before the handle. */
  readonly before: readonly string[];
  /** The pattern of a decoded handle in its canonical case. */
  readonly handle: RegExp;
  /** Handles that the network reserves for its own pages. */
  readonly reserved?: ReadonlySet<string>;
  /** What may follow the handle without naming another resource: anything, or only these words. */
  readonly after?: 'anything' | ReadonlySet<string>;
  /** The query parameter that carries the handle, if the path does not. */
  readonly parameter?: string;
  /** The maximum number of segments in a handle; one by default. */
  readonly segmentsMax?: number;
  /** Returns the canonical spelling of the handle; lower case by default. */
  readonly canonical?: (handle: string) => string | undefined;
  /** Path and query of the canonical URL, built from the encoded handle; by default `before` and the handle. */
  readonly path?: (handle: string) => string;
}

/** A network and the forms of its profile URLs. */
export interface ProfileNetwork {
  readonly name: string;
  /** Its hosts without subdomains; the first one is canonical. */
  readonly hosts: readonly string[];
  /** Whether the same handle at another host is another profile. */
  readonly eachHostApart?: boolean;
  /** Subdomains that show the same profiles. */
  readonly subdomains: RegExp;
  /** The host of canonical URLs, if it is not the first of `hosts`. */
  readonly canonicalHost?: string;
  readonly forms: readonly ProfileForm[];
}

const usual = /^(?:www|m|mobile)$/;
/** `de.`, `pt-br.`: localized views of the same profiles. */
const localised = /^(?:www|m|mobile|touch|mbasic|web|[a-z]{2}(?:-[a-z]{2})?)$/;
/**
 * Letters of every script, digits and the few symbols that networks allow in handles; no characters that are special in
 * a URL.
 */
const words = /^[^\s\p{C}"#$%*,/:;<=>?@[\\\]^`{|}]{1,100}$/u;
const digits = /^\d{1,20}$/;

/** LinkedIn's member IDs in URLs are case-sensitive; names that people choose are not. */
function linkedInHandle(handle: string): string {
  return /^AC[ow][\w-]{20,}$/.test(handle) ? handle : handle.toLowerCase();
}

/** A person in Sales Navigator: the member ID, then how it was found. The member's profile has the same ID. */
const salesNavigatorPerson = {
  handle: /^AC[ow][\w-]{20,}(?:,[\w,-]{0,60})?$/,
  canonical: (handle: string) => handle.split(',')[0],
  path: (handle: string) => `in/${handle}`,
};

/** Checks the last character, an ISO 7064 MOD 11-2 check digit, so that a typo does not name another person. */
function orcidOf(handle: string): string | undefined {
  const id = handle.toUpperCase();
  let total = 0;
  for (const digit of id.replaceAll('-', '').slice(0, -1)) {
    total = (total + Number(digit)) * 2;
  }
  const check = (12 - (total % 11)) % 11;
  return id.endsWith(check === 10 ? 'X' : String(check)) ? id : undefined;
}

function asWritten(handle: string): string {
  return handle;
}

/** The usual form: a handle chosen by the user, followed by anything. */
function chosen(form: string, kind: ProfileKind, more: Partial<ProfileForm> = {}): ProfileForm {
  return { form, kind, before: form.split('/').slice(1, -1), handle: words, after: 'anything', ...more };
}

const linkedIn: ProfileNetwork = {
  name: 'LinkedIn',
  hosts: ['linkedin.com'],
  subdomains: localised,
  canonicalHost: 'www.linkedin.com',
  forms: [
    // linkedin.com/in/ada-lovelace, optionally followed by a language (/de), a section (/details/experience) or an
    // overlay.
    chosen('linkedin.com/in/{handle}', 'person', { canonical: linkedInHandle }),
    // The lightweight mobile site's URL of the same profile.
    chosen('linkedin.com/mwlite/in/{handle}', 'person', {
      canonical: linkedInHandle,
      path: handle => `in/${handle}`,
    }),
    // The link in LinkedIn's emails.
    chosen('linkedin.com/comm/in/{handle}', 'person', {
      canonical: linkedInHandle,
      path: handle => `in/${handle}`,
    }),
    chosen('linkedin.com/sales/lead/{handle}', 'person', salesNavigatorPerson),
    chosen('linkedin.com/sales/people/{handle}', 'person', salesNavigatorPerson),
    // LinkedIn Recruiter.
    chosen('linkedin.com/talent/profile/{handle}', 'person', salesNavigatorPerson),
    // URLs from before people chose their names: linkedin.com/pub/ada-lovelace/1/2a/3b4. Their three numbers are part
    // of the handle, since many people share a name. /pub/dir lists people.
    {
      form: 'linkedin.com/pub/{handle}',
      kind: 'person',
      before: ['pub'],
      handle: /^[^\s\p{C}"#$%*,:;<=>?@[\\\]^`{|}]{1,120}$/u,
      reserved: new Set(['dir']),
      segmentsMax: 4,
    },
    // linkedin.com/company/analytical-engines or the company's number, followed by /about, /people, /jobs.
    chosen('linkedin.com/company/{handle}', 'organisation'),
    chosen('linkedin.com/company-beta/{handle}', 'organisation', { path: handle => `company/${handle}` }),
    chosen('linkedin.com/sales/company/{handle}', 'organisation', {
      handle: digits,
      path: handle => `company/${handle}`,
    }),
    chosen('linkedin.com/sales/accounts/{handle}', 'organisation', {
      handle: digits,
      path: handle => `company/${handle}`,
    }),
    chosen('linkedin.com/school/{handle}', 'organisation'),
    // Pages of a company's divisions or brands.
    chosen('linkedin.com/showcase/{handle}', 'organisation'),
  ],
};

const xing: ProfileNetwork = {
  name: 'XING',
  hosts: ['xing.com'],
  subdomains: usual,
  canonicalHost: 'www.xing.com',
  forms: [
    // xing.com/profile/Ada_Lovelace, with a number appended if the name was taken, followed by /cv or /web_profiles.
    chosen('xing.com/profile/{handle}', 'person'),
    chosen('xing.com/pages/{handle}', 'organisation'),
    // The older URL of the same pages.
    chosen('xing.com/companies/{handle}', 'organisation', { path: handle => `pages/${handle}` }),
  ],
};

const gitHubPages = new Set(
  'about apps codespaces collections contact customer-stories dashboard enterprise events explore features git-guides issues join login logout marketplace mobile new notifications organizations orgs pricing pulls readme search security sessions settings signup site sponsors stars team topics trending users'.split(
    ' ',
  ),
);

const gitHub: ProfileNetwork = {
  name: 'GitHub',
  hosts: ['github.com'],
  subdomains: usual,
  forms: [
    // Organizations have their own pages, which identify the same account as github.com/{handle}.
    {
      form: 'github.com/orgs/{handle}',
      before: ['orgs'],
      handle: /^[a-z\d](?:[a-z\d]|-(?=[a-z\d])){0,38}$/,
      after: new Set(['people', 'repositories', 'teams', 'followers']),
      path: handle => handle,
    },
    // At most 39 letters, digits and single hyphens. People and organizations share one namespace. A path after the
    // handle names a repository, not a profile.
    {
      form: 'github.com/{handle}',
      before: [],
      handle: /^[a-z\d](?:[a-z\d]|-(?=[a-z\d])){0,38}$/,
      reserved: gitHubPages,
    },
  ],
};

const gitLab: ProfileNetwork = {
  name: 'GitLab',
  hosts: ['gitlab.com'],
  subdomains: usual,
  forms: [
    // Users and groups share one namespace; a path after the handle names a project.
    {
      form: 'gitlab.com/{handle}',
      before: [],
      handle: /^[a-z\d_](?:[\w.-]{0,253}[a-z\d_])?$/,
      reserved: new Set(
        'admin api dashboard explore groups help import jwt oauth profile projects search snippets unsubscribes uploads users v2'.split(
          ' ',
        ),
      ),
    },
  ],
};

const crunchbase: ProfileNetwork = {
  name: 'Crunchbase',
  hosts: ['crunchbase.com'],
  subdomains: usual,
  canonicalHost: 'www.crunchbase.com',
  forms: [
    chosen('crunchbase.com/person/{handle}', 'person'),
    // Followed by /company_financials, /people, /technology.
    chosen('crunchbase.com/organization/{handle}', 'organisation'),
    chosen('crunchbase.com/company/{handle}', 'organisation', { path: handle => `organization/${handle}` }),
  ],
};

const x: ProfileNetwork = {
  name: 'X',
  hosts: ['x.com', 'twitter.com'],
  subdomains: usual,
  forms: [
    // At most 15 letters, digits and underscores, optionally followed by a tab of the profile. /status/{number} is a
    // post.
    {
      form: 'x.com/{handle}',
      before: [],
      handle: /^\w{1,15}$/,
      reserved: new Set(
        'about account compose download explore hashtag home i intent jobs login logout messages notifications privacy search settings share signup tos'.split(
          ' ',
        ),
      ),
      after: new Set(['with_replies', 'media', 'likes', 'highlights', 'articles', 'followers', 'following']),
    },
  ],
};

const facebookPages = new Set(
  'about ads business career events friends gaming groups help home.php legal login login.php marketplace messages notifications pages people permalink.php photo photo.php photos policies privacy profile.php reel reels search settings share sharer sharer.php story.php terms watch'.split(
    ' ',
  ),
);

const facebook: ProfileNetwork = {
  name: 'Facebook',
  hosts: ['facebook.com', 'fb.com'],
  subdomains: localised,
  canonicalHost: 'www.facebook.com',
  forms: [
    // Profiles without a chosen name are identified by a number.
    {
      form: 'facebook.com/profile.php?id={handle}',
      before: ['profile.php'],
      parameter: 'id',
      handle: digits,
      path: handle => handle,
    },
    // facebook.com/people/Ada-Lovelace/100001: only the number counts.
    {
      form: 'facebook.com/people/{name}/{handle}',
      before: ['people', '*'],
      handle: digits,
      after: 'anything',
      path: handle => handle,
    },
    {
      form: 'facebook.com/pages/{name}/{handle}',
      kind: 'organisation',
      before: ['pages', '*'],
      handle: digits,
      after: 'anything',
      path: handle => handle,
    },
    // Periods and case in a chosen name do not matter.
    {
      form: 'facebook.com/{handle}',
      before: [],
      handle: /^[a-z\d]{1,50}$/,
      reserved: facebookPages,
      after: new Set(['about', 'photos', 'followers', 'following', 'reviews', 'mentions']),
      canonical: handle => handle.toLowerCase().replaceAll('.', ''),
    },
  ],
};

const wellfound: ProfileNetwork = {
  name: 'Wellfound',
  // The network used to be called AngelList; the old host redirects to the new one.
  hosts: ['wellfound.com', 'angel.co'],
  subdomains: usual,
  forms: [
    chosen('wellfound.com/u/{handle}', 'person'),
    chosen('wellfound.com/company/{handle}', 'organisation'),
  ],
};

const bluesky: ProfileNetwork = {
  name: 'Bluesky',
  hosts: ['bsky.app'],
  subdomains: usual,
  forms: [
    // A handle is a domain, or the account's permanent identifier. /profile/{handle}/post/{id} is a post.
    {
      form: 'bsky.app/profile/{handle}',
      before: ['profile'],
      handle: /^(?:(?:[a-z\d-]{1,63}\.)+[a-z]{2,63}|did:(?:plc|web):[\w.:%-]{1,100})$/i,
      after: new Set(['followers', 'follows', 'lists', 'feed', 'labeler']),
      canonical: asWritten,
    },
  ],
};

const mastodon: ProfileNetwork = {
  name: 'Mastodon',
  // Large instances. Any site can be one, so that the others cannot be told by their URL.
  hosts:
    'mastodon.social mastodon.online mastodon.world mas.to mstdn.social mstdn.jp hachyderm.io fosstodon.org infosec.exchange techhub.social chaos.social social.tchncs.de mastodon.nl mastodon.uno mastodonapp.uk ioc.exchange sigmoid.social'.split(
      ' ',
    ),
  eachHostApart: true,
  subdomains: /^www$/,
  forms: [
    // Handles keep their case: they did when these hosts were no known network, and people opted out by such keys.
    {
      form: 'mastodon.social/@{handle}',
      before: [],
      handle: /^@\w(?:[\w.-]{0,60}\w)?$/,
      after: new Set(['with_replies', 'media', 'followers', 'following']),
      canonical: asWritten,
    },
  ],
};

const threads: ProfileNetwork = {
  name: 'Threads',
  hosts: ['threads.com', 'threads.net'],
  subdomains: usual,
  canonicalHost: 'www.threads.com',
  forms: [
    {
      form: 'threads.com/@{handle}',
      before: [],
      handle: /^@[\w.]{1,30}$/,
      after: new Set(['replies', 'media', 'reposts']),
      canonical: asWritten,
    },
  ],
};

const instagram: ProfileNetwork = {
  name: 'Instagram',
  hosts: ['instagram.com'],
  subdomains: usual,
  canonicalHost: 'www.instagram.com',
  forms: [
    // People and organizations share one namespace. /p/{id} and /reel/{id} are posts.
    {
      form: 'instagram.com/{handle}',
      before: [],
      handle: /^\w(?:[\w.]{0,28}\w)?$/,
      reserved: new Set(
        'about accounts api challenge create developer direct directory download emails explore graphql legal oauth p press privacy reel reels sharedfiles stories terms tv web'.split(
          ' ',
        ),
      ),
      after: new Set(['reels', 'tagged', 'channel', 'guides', 'followers', 'following']),
      canonical: asWritten,
    },
  ],
};

const orcid: ProfileNetwork = {
  name: 'ORCID',
  hosts: ['orcid.org'],
  subdomains: usual,
  forms: [
    // Sixteen digits in groups of four; the last one is a check digit and can be X.
    {
      form: 'orcid.org/{handle}',
      kind: 'person',
      before: [],
      handle: /^\d{4}-\d{4}-\d{4}-\d{3}[\dX]$/,
      canonical: orcidOf,
    },
  ],
};

const researchGate: ProfileNetwork = {
  name: 'ResearchGate',
  hosts: ['researchgate.net'],
  subdomains: usual,
  canonicalHost: 'www.researchgate.net',
  forms: [
    // researchgate.net/profile/Ada-Lovelace, followed by /publications or /research.
    chosen('researchgate.net/profile/{handle}', 'person'),
  ],
};

const googleScholar: ProfileNetwork = {
  name: 'Google Scholar',
  hosts: ['scholar.google.com'],
  subdomains: usual,
  forms: [
    // scholar.google.com/citations?user=XXXXXXXXAAAAJ&hl=en: twelve case-sensitive characters.
    {
      form: 'scholar.google.com/citations?user={handle}',
      kind: 'person',
      before: ['citations'],
      parameter: 'user',
      handle: /^[\w-]{12}$/,
      canonical: asWritten,
      path: handle => `citations?user=${handle}`,
    },
  ],
};

const stackOverflow: ProfileNetwork = {
  name: 'Stack Overflow',
  hosts: ['stackoverflow.com'],
  subdomains: usual,
  forms: [
    // stackoverflow.com/users/{number}/{name}: the name after the number is decorative.
    {
      form: 'stackoverflow.com/users/{handle}',
      kind: 'person',
      before: ['users'],
      handle: digits,
      after: 'anything',
    },
  ],
};

const behance: ProfileNetwork = {
  name: 'Behance',
  hosts: ['behance.net'],
  subdomains: usual,
  canonicalHost: 'www.behance.net',
  forms: [
    {
      form: 'behance.net/{handle}',
      before: [],
      handle: /^[\w-]{2,50}$/,
      reserved: new Set(
        'about adobe assets blog galleries gallery hire jobs joblist live login pro search signup misc'.split(
          ' ',
        ),
      ),
      after: new Set(['info', 'projects', 'appreciated', 'moodboards', 'resume']),
    },
  ],
};

const wikidata: ProfileNetwork = {
  name: 'Wikidata',
  hosts: ['wikidata.org'],
  subdomains: usual,
  canonicalHost: 'www.wikidata.org',
  forms: [
    // The page of an item, which can be a person, an organization or anything else.
    {
      form: 'wikidata.org/wiki/{handle}',
      before: ['wiki'],
      handle: /^Q\d{1,12}$/,
      canonical: handle => handle.toUpperCase(),
    },
    // The item's linked-data URI.
    {
      form: 'wikidata.org/entity/{handle}',
      before: ['entity'],
      handle: /^Q\d{1,12}$/,
      canonical: handle => handle.toUpperCase(),
      path: handle => `wiki/${handle}`,
    },
  ],
};

const theOrg: ProfileNetwork = {
  name: 'The Org',
  hosts: ['theorg.com'],
  subdomains: usual,
  forms: [
    // Without a suffix, the organization; with /org-chart/{person} it would be a person in it, and is refused.
    { form: 'theorg.com/org/{handle}', kind: 'organisation', before: ['org'], handle: words },
  ],
};

/** The networks whose profile URLs are recognized by form alone, whether or not the store holds them. */
export const profileNetworks: readonly ProfileNetwork[] = [
  linkedIn,
  xing,
  gitHub,
  gitLab,
  crunchbase,
  x,
  facebook,
  wellfound,
  bluesky,
  mastodon,
  threads,
  instagram,
  orcid,
  researchGate,
  googleScholar,
  stackOverflow,
  behance,
  wikidata,
  theOrg,
];
