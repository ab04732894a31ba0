import type { PageScript, WebScript } from '@mailproof/mail-lab';
import { type Company, capitalized, type Person } from './company.ts';
import { fullName, localPartOf, makeName } from './names.ts';
import { between, pick, type Random, someOf } from './random.ts';
import { patterns, type Rates } from './rates.ts';

/** How an address stands on a page. */
type Form = 'plain' | 'entities' | 'at_word' | 'cloudflare' | 'script';

/** What the site of a company prints. */
export interface Site {
  /** The scripts of its hosts, by name. */
  readonly web: Readonly<Record<string, WebScript>>;
  /** Local parts that a reader of its pages sees, in the places where people are named. */
  readonly printed: ReadonlySet<string>;
  /** Those of them that also a program finds that does not run scripts: on a reachable page of the company’s domain. */
  readonly readable: ReadonlySet<string>;
  /** All local parts in the source of the pages, traps and inventions included. */
  readonly inSource: readonly string[];
}

export const noSite: Site = { web: {}, printed: new Set(), readable: new Set(), inSource: [] };

export function makeSite(company: Company, number: number, rates: Rates, random: Random): Site {
  const { website, printed: rate } = rates;
  const { domain, size } = company;
  if (random() >= website[size].value) {
    return noSite;
  }
  const chance = (of: { readonly value: number }) => random() < of.value;
  const form: Form = chance(rate.obfuscated)
    ? pick(['entities', 'at_word', 'cloudflare', 'script'] as const, random)
    : 'plain';
  const write = (localPart: string) => written(`${localPart}@${domain}`, form);
  const isBuilt = chance(website.builtInBrowser);
  const isShut = chance(website.unreachable);
  const isElsewhere = chance(website.redirectsElsewhere);

  const people = chance(rate[`people${capitalized(size)}`])
    ? printedPeople(company, rate[`staffShare${capitalized(size)}`].value, rates, random)
    : [];
  const roles = chance(rate.roleAddress) ? company.roles.slice(0, 1 + Math.floor(random() * 2)) : [];
  const noReply = chance(rate.noReplyAddress) ? ['noreply'] : [];
  const printed = [...people.map(({ localPart }) => localPart), ...roles];
  const inventions = inventionsOn(company, rates, random);

  const peoplePath = chance(rate.spread)
    ? pick(['/team', '/about', '/contact', '/people', '/kontakt', '/ueber-uns', '/equipe'], random)
    : '/company/departments/who-is-who.html';
  const agency = chance(rate.agencyAddress) ? `<p>Made by hello@studio-${number % 7}.example</p>` : '';
  const navigation = [
    link('/about', 'About'),
    link('/contact', 'Contact'),
    link('/privacy', 'Privacy'),
    ...(people.length > 0 && peoplePath.split('/').length === 2 ? [link(peoplePath, 'Team')] : []),
    link('/blog', 'Blog'),
  ].join(' ');
  const trap = '<a href="/members.html" style="display:none">members</a>';
  const strangers = inventions.comments.map(each => `<p>Mail me: ${each}@${domain}</p>`).join('');
  const strangersAt = pick(['/blog', '/about', '/'], random);
  const pages: Record<string, PageScript> = {
    '/': {
      body: page(
        `${navigation}${inventions.trapPage.length > 0 ? trap : ''}${agency}${strangersAt === '/' ? `<blockquote>${strangers}</blockquote>` : ''}`,
      ),
    },
    '/about': {
      body: page(
        `We are ${domain}. ${link('/company/departments/who-is-who.html', 'Who is who')}${strangersAt === '/about' ? `<div class="entry">${strangers}</div>` : ''}`,
      ),
    },
    '/contact': {
      body: page(
        `${roles.map(write).join(' ')} ${inventions.placeholders.map(each => `<input placeholder="${each}@${domain}"> e.g. ${each}@${domain}`).join(' ')}
        ${number % 3 === 0 ? '<style>.x1{position:absolute;left:-9999px}</style><div class="x1">' : '<div style="display:none">'}${inventions.hidden.map(each => `${each}@${domain}`).join(' ')}</div>
        ${inventions.formats.map(each => `Our addresses are ${each}@${domain}`).join(' ')}`,
      ),
    },
    '/privacy': { body: page(`Automatic mail comes from ${noReply.map(write).join('')}.`) },
    '/blog': {
      body: page(
        `<h1>News</h1>${strangersAt === '/blog' ? `<section class="comments">${strangers}</section>` : ''}`,
      ),
    },
    ...(inventions.trapPage.length > 0 && {
      '/members.html': {
        body: page(inventions.trapPage.map(each => `<li>${each}@${domain}</li>`).join('\n')),
      },
    }),
  };
  if (people.length > 0) {
    const cards = people
      .map(person => `<li>${fullName(person.name)} ${write(person.localPart)}</li>`)
      .join('\n');
    const existing = pages[peoplePath]?.body ?? page('');
    pages[peoplePath] = { body: String(existing).replace('</body>', `<ul>${cards}</ul></body>`) };
  }
  const served = isBuilt ? builtByScript(pages) : pages;
  const host = isElsewhere ? `www.group-${domain}` : random() < 0.5 ? `www.${domain}` : domain;
  const otherPages = otherPagesOf(navigation, rates, random);
  const script: WebScript = {
    pages: {
      ...served,
      ...(isShut && { '/robots.txt': { body: 'User-agent: *\nDisallow: /', headers: plain } }),
    },
    ...(otherPages !== undefined && { otherPages }),
  };
  const isFound = !isBuilt && !isShut && !isElsewhere && form !== 'script';
  return {
    web: {
      [host]: isShut && number % 2 === 0 ? { status: 403 } : script,
      ...(host !== domain && {
        [domain]: {
          pages: { '/robots.txt': moved(`https://${host}/robots.txt`) },
          otherPages: moved(`https://${host}/`),
        },
      }),
    },
    printed: new Set(printed),
    readable: new Set(isFound ? printed : []),
    inSource: [...printed, ...noReply, ...Object.values(inventions).flat()],
  };
}

function moved(location: string): PageScript {
  return { status: 301, headers: { location } };
}

const plain = { 'content-type': 'text/plain' };

/** Staff of whom the site names addresses, and those who left and are still named. */
function printedPeople(
  { staff, leavers }: Company,
  share: number,
  { printed }: Rates,
  random: Random,
): Person[] {
  const left = leavers.filter(
    ({ leftYearsAgo = 0 }) =>
      random() < (leftYearsAgo < 1 ? printed.leaverOfLastYear : printed.leaverOfEarlierYears).value,
  );
  const chosen = [...someOf(staff, share, random), ...someOf(left, share, random)];
  return chosen.length > 0 ? chosen : staff.slice(0, 1);
}

/** Addresses on the pages of the company that no one gave to a person: examples, guesses of strangers, and traps. */
function inventionsOn(company: Company, rates: Rates, random: Random) {
  const { printed } = rates;
  const guess = () => {
    const name = random() < 0.5 ? pick(company.staff, random).name : makeName('us', rates, random);
    return localPartOf(name, pick(patterns, random), company.rules);
  };
  const guesses = (count: number) => Array.from({ length: count }, guess);
  const chance = (of: { readonly value: number }) => random() < of.value;
  return {
    placeholders: chance(printed.placeholder)
      ? [pick(['name', 'your.name', 'john.doe', 'max.mustermann'], random)]
      : [],
    comments: chance(printed.comments) ? guesses(between({ min: 1, max: 4 }, random)) : [],
    formats: chance(printed.formatNotice) ? ['firstname.lastname'] : [],
    hidden: chance(printed.honeypotFew) ? guesses(between({ min: 3, max: 8 }, random)) : [],
    trapPage: chance(printed.honeypotThousands) ? guesses(3_000) : [],
  };
}

/** What stands at paths that no page has. */
function otherPagesOf(navigation: string, { printed }: Rates, random: Random): PageScript | undefined {
  if (random() < printed.echoesPath.value) {
    return { status: 200, body: page(`${navigation} You asked for {path}, which we do not have.`) };
  }
  if (random() < printed.softNotFound.value) {
    return { status: 200, body: page(`${navigation} Sorry, there is nothing here.`) };
  }
  return random() < printed.notFoundHasNavigation.value
    ? { status: 404, body: page(`${navigation} Not found.`) }
    : undefined;
}

function builtByScript(pages: Readonly<Record<string, PageScript>>): Record<string, PageScript> {
  return Object.fromEntries(
    Object.keys(pages).map(path => [
      path,
      { body: page('<div id="root"></div><script src="/app.js"></script>') },
    ]),
  );
}

function page(body: string): string {
  return `<!doctype html><html><head><title>Company</title></head><body>${body}</body></html>`;
}

function link(path: string, text: string): string {
  return `<a href="${path}">${text}</a>`;
}

/** An address as sites write it, for people or against programs. */
function written(address: string, form: Form): string {
  switch (form) {
    case 'plain':
      return `<a href="mailto:${address}">${address}</a>`;
    case 'entities':
      return [...address].map(letter => `&#${letter.codePointAt(0)};`).join('');
    case 'at_word':
      return address.replace('@', ' [at] ').replaceAll('.', ' [dot] ');
    case 'cloudflare':
      return `<a href="/cdn-cgi/l/email-protection" class="__cf_email__" data-cfemail="${cloudflare(address)}">[email&#160;protected]</a>`;
    case 'script':
      return `<script>write('${[...address].reverse().join('')}')</script>`;
  }
}

/** Cloudflare’s encoding: a key in hexadecimal, and each octet combined with it by exclusive or. */
function cloudflare(address: string): string {
  const key = 0x5a;
  const hex = (octet: number) => octet.toString(16).padStart(2, '0');
  return hex(key) + [...Buffer.from(address)].map(octet => hex(octet ^ key)).join('');
}
