/** The names in an SPF record that may tell where a domain's mail is kept. */
export interface Spf {
  /** In lower case, without a final dot. */
  readonly includes: readonly string[];
  readonly redirect?: string;
}

/** More than RFC 7208 section 4.6.4 lets a checker look up; a hostile record may hold thousands. */
const termsMax = 64;
/** Longer than any record that checkers read; it bounds what a hostile one can cost. */
const recordCharactersMax = 4_096;
/** A name without macros (RFC 7208 section 7), which only a mail under way could fill in. */
const plainName = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})+$/;

/** Reads a domain's SPF record out of its TXT records. Several of them are as good as none (RFC 7208 section 4.5). */
export function readSpf(texts: readonly string[]): Spf | undefined {
  const records = texts.filter(text => /^v=spf1(?: |$)/i.test(text));
  const record = records[0];
  if (record === undefined || records.length > 1 || record.length > recordCharactersMax) {
    return undefined;
  }
  const terms = record.toLowerCase().split(/ +/).slice(1, termsMax);
  // A sender that fails is none of the domain's own.
  const includes = namesAfter(terms, /^[+?~]?include:(.+)$/);
  const [redirect] = namesAfter(terms, /^redirect=(.+)$/);
  // `all` leaves nothing to redirect (RFC 7208 section 6.1).
  const isDecided = terms.some(term => /^[+?~-]?all$/.test(term));
  return redirect === undefined || isDecided ? { includes } : { includes, redirect };
}

function namesAfter(terms: readonly string[], pattern: RegExp): string[] {
  return terms.flatMap(term => {
    const name = pattern.exec(term)?.[1]?.replace(/\.$/, '');
    return name !== undefined && plainName.test(name) ? [name] : [];
  });
}
