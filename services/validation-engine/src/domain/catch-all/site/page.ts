import { isParkedText } from '@mailproof/shared-types/parked-page';

/** A page as far as it is read: what people see of it, and its machine-readable data. */
export interface PageContent {
  /**
   * The visible text, a line for each block. Text that is hidden, code, or written by visitors (comments, guestbooks) is
   * left out. The invisible `elementEdge` is where an element begins or ends within a line.
   */
  readonly text: string;
  /** Addresses that it links to or encodes, from the same parts of the page. */
  readonly addresses: readonly string[];
  /** Links, hidden ones too, because menus are; but none from the parts that visitors write. */
  readonly links: readonly PageLink[];
  /** The parsed contents of its `application/ld+json` scripts. */
  readonly jsonLd: readonly unknown[];
}

/** INVISIBLE SEPARATOR: styles may show what is before and after it apart from each other. */
export const elementEdge = '\u2063';

export interface PageLink {
  readonly href: string;
  readonly words: string;
}

/** What pages a company is likely to print its addresses on, the likeliest first. */
export const pageKinds = ['contact', 'imprint', 'team', 'home', 'about', 'press'] as const;

export type PageKind = (typeof pageKinds)[number];

const vocabulary: Readonly<Record<Exclude<PageKind, 'home'>, readonly string[]>> = {
  contact: words(
    'contact contacts contact-us contactus contact-us-today contact-page contact-info contact-information contact-form',
    'contact-details contact-sales get-in-touch get-in-touch-with-us email-us reach-us fale-conosco contactati-ne kontakt kontakte contacto contactos contactanos contactenos',
    'contato contatos contatti contattaci contactez contactez-nous nous-contacter contacteer neem-contact kontakty',
    'kontakta kontaktieren kontaktieren-sie-uns kontaktformular yhteystiedot ota-yhteytta iletisim bize-ulasin kapcsolat контакты контакти επικοινωνια',
    '联系我们 联系方式 聯絡我們 お問い合わせ 연락처 문의하기',
  ),
  imprint: words(
    'imprint impressum legal-notice legalnotice legal-information mentions-legales informations-legales aviso-legal',
    'informacion-legal nota-legal note-legali informazioni-legali colofon impresum impressum-datenschutz',
    'kontakt-impressum impressum-kontakt 特定商取引法',
  ),
  team: words(
    'team our-team the-team meet-the-team meet-our-team our-people people staff unser-team das-team mitarbeiter ansprechpartner',
    'ansprechpersonen equipe notre-equipe equipo nuestro-equipo nossa-equipe il-team medewerkers ons-team zespol',
    'medarbetare ansatte medarbejdere команда スタッフ',
  ),
  about: words(
    'about about-us aboutus who-we-are company uber-uns ueber-uns unternehmen a-propos qui-sommes-nous quienes-somos',
    'sobre-nosotros sobre-nos sobre quem-somos chi-siamo over-ons om-oss om-os o-nas о-нас hakkimizda 关于我们 会社概要',
  ),
  press: words(
    'press press-contact presse pressekontakt media newsroom prensa imprensa stampa pers 报道 プレス',
  ),
};

function words(...lines: readonly string[]): readonly string[] {
  return lines.flatMap(line => line.split(' '));
}

const kindByPhrase: ReadonlyMap<string, PageKind> = new Map(
  pageKinds.flatMap(kind =>
    kind === 'home' ? [] : vocabulary[kind].map(phrase => [phraseOf(phrase), kind] as const),
  ),
);

/** Words that name such a page also with neutral ones, as in "Kontakt & Anfahrt"; contact lenses are none. */
const alone: ReadonlyMap<string, PageKind> = new Map([
  ...words('kontakt kontakty contatti contacto contato yhteystiedot iletisim kapcsolat контакты').map(
    word => [word, 'contact'] as const,
  ),
  ...words('impressum imprint colofon').map(word => [word, 'imprint'] as const),
  ['ansprechpartner', 'team'],
]);
const neutral: ReadonlySet<string> = new Set(
  words(
    'und and et y e og och ihr ihre us os oss z nami anfahrt datenschutz agb standort standorte offnungszeiten',
    'form formular formulario service support hilfe info',
  ),
);
/** Pages that often print people who left, or others. */
const lessLikely: ReadonlySet<PageKind> = new Set(['team', 'about', 'press']);
/** Longer phrases are headlines. */
const wordsMax = 4;

function kindOfPhrase(phrase: string): PageKind | undefined {
  const named = phrase.split('-');
  const others = named.filter(word => !alone.has(word) && !neutral.has(word));
  const isPlain = others.length === 0 || kindByPhrase.has(others.join('-'));
  const kind = named.length <= wordsMax && isPlain ? named.find(word => alone.has(word)) : undefined;
  return kindByPhrase.get(phrase) ?? alone.get(kind ?? '');
}

/** The less likely kinds that a phrase names, also with other words. */
function lessLikelyIn(phrase: string): PageKind[] {
  return [...kindByPhrase].flatMap(([known, kind]) =>
    lessLikely.has(kind) && `-${phrase}-`.includes(`-${known}-`) ? [kind] : [],
  );
}

function leastLikely(kinds: readonly PageKind[]): PageKind | undefined {
  return pageKinds[Math.max(...kinds.map(kind => pageKinds.indexOf(kind)))];
}

/**
 * Parts of a path below which visitors write, and not the company. Forums put topics, discussions and users below `/t/`,
 * `/d/` and `/u/`.
 */
const visitorsWords =
  /^[tdu]$|(?:^|-)(?:topics?|threads?|viewtopic|showthread|discussions?|wiki|forum|forums|foren|guestbook|gaestebuch|gastebuch|livre-d-or|community|comments?|kommentare?|reviews?|bewertungen|questions|blog|user|users|profiles?|members?)(?:-|$)/;
const pathCharactersMax = 200;
const linkCharactersMax = 60;

/**
 * Says what kind of page a path leads to, by its last part and the words of a link to it: of several kinds, the least
 * likely one. Undefined for other pages, and for a path that contains an address: its page may only repeat it.
 */
export function kindOfPage(path: string, words = ''): PageKind | undefined {
  if (path.length > pathCharactersMax || isByVisitors(path)) {
    return undefined;
  }
  const [way = ''] = decoded(path).split(/[?#]/, 1);
  const parts = way.split('/').map(phraseOf).filter(Boolean);
  const names = parts
    // Site builders number a second page of the same name.
    .map(part => part.replace(/-(?:html?|php|aspx?|jsp|cfm)$/, '').replace(/-\d$/, ''))
    .filter((part, at) => part !== 'index' || at + 1 < parts.length);
  const phrases = [words.length > linkCharactersMax ? '' : phraseOf(words), names.at(-1) ?? ''];
  const kind = phrases.map(kindOfPhrase).find(each => each !== undefined);
  return kind && leastLikely([kind, ...phrases.flatMap(lessLikelyIn)]);
}

const homePath = /^\/(?:[a-z]{2}(?:-[a-z]{2})?\/?)?(?:index\.\w+)?$/i;

/**
 * What kind of page answered, if a page of a kind was requested and the site may have redirected to another path: many
 * sites redirect from a page that they no longer have to their home page. Of two kinds, the less likely one. Undefined
 * for a page that visitors write.
 */
export function kindOfAnswer(kind: PageKind, requested: string, answered: string): PageKind | undefined {
  if (requested === answered) {
    return kind;
  }
  if (isByVisitors(answered)) {
    return undefined;
  }
  const answers = homePath.test(answered) ? 'home' : (kindOfPage(answered) ?? kind);
  return leastLikely([kind, answers]);
}

/** Whether visitors write the page at a path, or choose what it repeats. */
function isByVisitors(path: string): boolean {
  const plainPath = decoded(path);
  return (
    /@|\/~|\bat\b.*\bdot\b/i.test(plainPath) ||
    plainPath.split(/[/?#&=;]/).some(part => visitorsWords.test(phraseOf(part)))
  );
}

/** Lower-case words without accents, joined by hyphens. */
function phraseOf(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .join('-');
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Whether a page offers its domain for sale, so that no company speaks on it. */
export function isParked({ text }: PageContent): boolean {
  return isParkedText(text);
}
