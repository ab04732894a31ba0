import { type DomainName, type EmailAddress, parseEmailAddress } from '@mailproof/shared-types';
import { elementEdge, type PageContent } from './page.ts';

/** The domain whose site is read. */
export type OwnDomain = Pick<DomainName, 'ascii' | 'unicode'>;

/** More addresses than this on a few pages are a directory of everyone, or a trap for programs that collect addresses. */
export const printedMax = 300;

/** The spelling by which printed addresses are compared: pages write `Info@` where mail goes to `info@`. */
export function printedKey({ normalized }: EmailAddress): string {
  return normalized.toLowerCase();
}

/**
 * Returns the addresses of a domain that a page prints for its readers, without placeholders and examples. Stops reading
 * text after one more than `printedMax` addresses, which say no more than all of them.
 */
export function printedAddresses(page: PageContent, domain: OwnDomain): EmailAddress[] {
  return [
    ...page.addresses.flatMap(address => ownAddress(address, domain) ?? []).filter(isNoPlaceholder),
    ...addressesInText(page.text, domain),
  ];
}

/** The recipients of a link (RFC 6068 section 2), without its header fields and without names. */
export function mailtoAddresses(href: string): string[] {
  // Some pages write the link like one to a host.
  const recipients = /^mailto:(?:\/\/)?([^?]+)/i.exec(href)?.[1];
  return recipients === undefined
    ? []
    : decoded(recipients)
        // Outlook writes semicolons between recipients.
        .split(/[,;]/)
        .map(recipient => /<([^<>]*)>\s*$/.exec(recipient)?.[1] ?? recipient);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export interface StatedAddress {
  readonly email: EmailAddress;
  /** Whether it is stated of a person, and not of the company or one of its departments. */
  readonly isPersons: boolean;
}

/** Returns the addresses of a domain in the machine-readable data of a page. */
export function statedAddresses(jsonLd: readonly unknown[], domain: OwnDomain): StatedAddress[] {
  return statedIn(jsonLd)
    .flatMap(({ text, isPersons }) => {
      const email = ownAddress(text.replace(/^mailto:/i, ''), domain);
      return email === undefined ? [] : [{ email, isPersons }];
    })
    .filter(({ email }) => isNoPlaceholder(email));
}

/**
 * Spellings of @ and of a dot that people read and simple programs do not. The words alone count only together, because
 * "Write to us at a.example" prints no address, and "(a)" only without spaces, because it also counts the items of a
 * sentence.
 */
const at = String.raw`(?:[@＠]|\(a\)|\s{0,2}(?:[[({<]\s?(?:at|[@＠]|ät|arroba|arobase|chiocciola|ma[łl]pa|zavin[áa][čc]|apenstaartje|snabel-?a|kr[øo]ll-?alfa|собака|アット(?:マーク)?)\s?[\])}>]|\[\s?a\s?\])\s{0,2})`;
const dot = String.raw`(?:\.|\s{0,2}[[({<]\s?(?:dot|\.|punkt|punto|point|ponto|punt|kropka|te[čc]ka|prikk?|точка|ドット)\s?[\])}>]\s{0,2})`;
const wordAt = String.raw`\s(?:at|arroba)\s`;
const wordDot = String.raw`\s(?:dot|punkt|punto|ponto)\s`;
/** It also stands before the name of a company: only after "Mail:", or a local part with a dot, it is an address. */
const spacedAt = String.raw`(?<![[({<])\s[@＠]\s`;
const labeled = /(?<!\p{L})(?:(?:e-?)?mail|e-?post)(?:[ -]?(?:address|adresse))?\s?[:：]\s?$/iu;
const localCharacter = String.raw`\p{L}\p{M}\p{N}_%+-`;
/** What follows these is the end of a name, as in o'brien and r&d, or a field of a template, and no address. */
const cut = String.raw`[\p{L}\p{N}]['’&]|[\uFFFD$]`;
/** RFC 5321 section 4.5.3.1.1. */
const localPartMax = 64;
const contextCharacters = 60;
/** Words before an address, in the same line, that make it an example or a former one. */
const example =
  /(?<![\p{L}\p{N}.@-])(?:formerly|previously|(?:old|former)(?: e-?mail)? address|bisherige adresse|ehemals|früher|anciennement|e\.?\s?g\.?|for example|example|such as|like|z\.\s?b\.|zum beispiel|beispiel|p\.?\s?ex\.?|par exemple|por ejemplo|ad esempio|bijv\.?|bijvoorbeeld)[ :,("'“„‘]*$/iu;

/** An address within a URL is what the URL is about, or the user who signs in there. */
const withinUrl = /:\/\/\S*$/;
/** Words before an address that warn of it, as in "Never write to" and "criminals send mail from". */
const warned =
  /(?<!\p{L})(?:(?:do not|don['’]t|never) (?:write|(?:e-?)?mail|use|contact|reply|send (?:\p{L}+ )?(?:e-?)?mails?)(?: to)?(?: (?:this|the) (?:e-?mail )?address[^\n.!?@]{0,30})?|(?:nicht|nie|niemals|keine (?:e-?)?mails?) an(?: diese adresse[^\n.!?@]{0,30})?|(?:fake|fraud|phishing|scam|spoof|criminal|gefälscht|betrug|betrüger)\p{L}*(?!\p{L})[^\n.!?@]{0,30} (?:from|von|de|da))[ :,("'“„‘]*$/iu;
/** Words after an address, in the same sentence or in one about "this address", that end it or call it false. */
const ended =
  /^(?:\.\s(?:this|that|diese) )?[^\n.:;!?@]{0,25}?(?<!\p{L})(?:no longer|not in use|does not exist|is (?:a )?(?:fake|fraud|scam)|nicht mehr|existiert nicht|ist gefälscht|n['’]est plus|n['’]existe pas|ya no|no existe|non è più|non esiste|niet meer|bestaat niet|discontinued|deaktiviert|deactivated)(?!\p{L})/iu;
/** Digits that a page writes directly before an address are a telephone number. */
const glued = /^\d{5,}\p{L}/u;
/** Words before "at a dot example" that make it the name of the site. */
const notNames =
  /^(?:us|me|it|him|her|them|you|look|find|see|here|live|now|online|only|more|shop|work|working|is|are|be|was|back)$/i;

/** Characters that only help to break lines, and other marks; the edges of elements are kept. */
const notShown = new RegExp(`(?!${elementEdge})\\p{Cf}`, 'gu');
const edges = new RegExp(`${elementEdge}+`, 'g');
/**
 * Edges that are not between two characters of a local part. In `<b>123</b><b>info@a.example</b>` no one can tell
 * without the styles where the local part begins, so that one remains, and nothing is read.
 */
const plainEdge = new RegExp(
  `(?<![${localCharacter}])${elementEdge}|${elementEdge}(?![${localCharacter}])`,
  'gu',
);

const isSpaced = new RegExp(spacedAt);
const dots = new RegExp(`${dot}|${wordDot}`, 'giu');

/** Finds addresses in running text, each once, in time proportional to its length. */
function addressesInText(text: string, domain: OwnDomain): EmailAddress[] {
  const names = [...new Set([domain.ascii, domain.unicode])].map(name => name.split('.').map(escaped));
  const spellings = [
    [dot, at],
    [wordDot, wordAt],
    [dot, spacedAt],
  ].flatMap(([between = '', before = '']) => names.map(labels => `${before}${labels.join(between)}`));
  const pattern = new RegExp(
    // A local part starts where no letter or digit precedes it, so each one is tried once.
    String.raw`(?<![.${elementEdge}${localCharacter}]|${cut})([${localCharacter}](?:[${localCharacter}]|(?:${dot}|${wordDot})(?=[${localCharacter}])){0,${localPartMax - 1}})(?:${spellings.join('|')})(?![\p{L}\p{N}${elementEdge}-]|[.:][\p{L}\p{N}])`,
    'giu',
  );
  // Soft hyphens and the like only help to break lines.
  const shown = text
    .normalize('NFC')
    .replace(notShown, '')
    .replace(edges, elementEdge)
    .replace(plainEdge, '');
  const seen = new Set<string>();
  const found = new Map<string, EmailAddress>();
  for (const { 0: spelled, 1: localPart = '', index } of shown.matchAll(pattern)) {
    const address = `${localPart.replace(dots, '.')}@${domain.ascii}`;
    const before = shown.slice(Math.max(0, index - contextCharacters), index);
    const after = shown.slice(index + spelled.length, index + spelled.length + contextCharacters);
    const isNone =
      seen.has(address) ||
      example.test(before) ||
      withinUrl.test(before) ||
      warned.test(before) ||
      ended.test(after) ||
      (isSpaced.test(spelled) && !/[._]/.test(localPart) && !labeled.test(before)) ||
      glued.test(localPart) ||
      (notNames.test(localPart) && !/[^\p{L}\s]/u.test(spelled));
    if (isNone) {
      continue;
    }
    seen.add(address);
    const email = ownAddress(address, domain);
    if (email !== undefined && isNoPlaceholder(email)) {
      found.set(printedKey(email), email);
    }
    if (found.size > printedMax) {
      break;
    }
  }
  return [...found.values()];
}

function escaped(label: string): string {
  return label.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** The address, if it is one and belongs to the domain itself. */
function ownAddress(text: string, domain: OwnDomain): EmailAddress | undefined {
  const parsed = parseEmailAddress(text.trim());
  const isOwn =
    parsed.ok && parsed.value.domain.kind !== 'literal' && parsed.value.domain.ascii === domain.ascii;
  return isOwn ? parsed.value : undefined;
}

const placeholders =
  /^(?:(?:you|your|ihr|ihre|dein|deine|votre|tu|su|uw)(?:name|email|mail|vorname|nom|nombre|nome|naam|adresse)?|my(?:name|email)|emailaddress|recipient|sample|nom|naam|pnom|nomprenom|cognomenome|lastfirst|f(?:name)?lname|(?:full|user|last|first|vor|nach)?name|vorname(?:nach)?name|v(?:or)?nachname|vornamenachname|first(?:name)?last(?:name)?|f(?:irst)?lastname|prenomnom|nombreapellido|nomecognome|voornaamachternaam|(?:max|maxi|erika|maria|hans|petra|m|e)muster(?:mann|frau)?|muster(?:mann|frau)?|john(?:ny)?(?:doe|smith)|jane(?:doe|roe|smith)|jdoe|jeandupont|mariorossi|example|beispiel|exemple|ejemplo|test|tester|testuser|user|username|someone|somebody|anyone|abc|xyz|x{3,}|foo|bar|foobar)\d{0,3}$/;
const unread =
  /^(?:no|do-?not|donot|nicht-?|keine-?|never)[._-]?(?:reply|replies|respond|answer|antworten?)|^(?:noreply|nepasrepondre|noresponder|mailer-?daemon|bounces?)/;

/** Words that a reader removes from an address, names of traps, and fields of templates. */
const altered = /nospam|antispam|removethis|removeme|deletethis|spamtrap|honeypot|^%|%$|[${}]/;

/** "Last name" or "first name" at the end of an example, as in `imie.nazwisko`. */
const kindsOfNames =
  /(?:surname|lastname|familyname|nachname|nazwisko|etternavn|efternavn|efternamn|sukunimi|soyad[iı]?|soyisim|prijmeni|priezvisko|prezime|priimek|prenume|sobrenome|apelido|apellidos?|cognome|achternaam|vezeteknev|фамилия|прізвище|επωνυμο|firstname|vorname|prenom|(?:^|nazwisko)imie|nombre|voornaam|etunimi|fornavn|fornamn)$/;

/** Whether a local part is neither an example for the reader's own nor belongs to a mailbox that is not read. */
function isNoPlaceholder({ localPart }: EmailAddress): boolean {
  const name = localPart.text.toLowerCase();
  const letters = name.replace(/[._-]/g, '');
  const plain = letters.normalize('NFD').replace(/\p{M}/gu, '').normalize('NFC');
  return !(
    placeholders.test(plain) ||
    kindsOfNames.test(plain) ||
    altered.test(letters) ||
    unread.test(name)
  );
}

const depthMax = 8;
const nodesMax = 500;
/** Types that visitors write. */
const visitorsTypes = /(?:^|[/#:])(?:\w*Comment|\w*Review|DiscussionForumPosting|Question|Answer)$/;

interface Stated {
  readonly text: string;
  readonly isPersons: boolean;
}

/** Returns the `email` members of a company's or a person's data, at any nesting. */
function statedIn(contents: readonly unknown[]): Stated[] {
  const stated: Stated[] = [];
  let layer = contents.map((value): Nested => ({ value, isPersons: false }));
  for (let depth = 0, nodes = 0; depth < depthMax && layer.length > 0; depth += 1) {
    const next: Nested[] = [];
    for (const { value, isPersons: isInPersons } of layer.slice(0, nodesMax)) {
      nodes += 1;
      if (nodes > nodesMax * 2 || typeof value !== 'object' || value === null) {
        continue;
      }
      const { email, ...members } = Array.isArray(value) ? { ...value, email: undefined } : (value as Node);
      const types = [members['@type']].flat();
      if (types.some(type => typeof type === 'string' && visitorsTypes.test(type))) {
        continue;
      }
      const emails = [email].flat().slice(0, nodesMax);
      const isPersons =
        isInPersons || types.some(type => typeof type === 'string' && /(?:^|[/#:])Person$/.test(type));
      stated.push(...emails.flatMap(text => (typeof text === 'string' ? [{ text, isPersons }] : [])));
      const inner = Object.values(members).slice(0, nodesMax);
      next.push(...inner.map(each => ({ value: each, isPersons })));
    }
    layer = next;
  }
  return stated;
}

type Node = Readonly<Record<string, unknown>>;

interface Nested {
  readonly value: unknown;
  readonly isPersons: boolean;
}
