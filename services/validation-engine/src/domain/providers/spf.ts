/** The names in an SPF record that may show who keeps a domain's mail. */
export interface Spf {
  /** In lower case, without a trailing dot. */
  readonly includes: readonly string[];
  readonly redirect?: string;
}

/** More terms than RFC 7208 section 4.6.4 lets a checker look up; a hostile record may have thousands. */
const termsMax = 64;
/** Longer than any record that checkers read; limits the cost of a hostile record. */
const recordCharactersMax = 4_096;
/** A name without macros (RFC 7208 section 7), which only a message in transit could expand. */
const plainName = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})+$/;

/**
 * Finds and reads a domain's SPF record among its TXT records. Several SPF records count as none (RFC 7208 section
 * 4.5).
 */
export function readSpf(texts: readonly string[]): Spf | undefined {
  const records = texts.filter(text => /^v=spf1(?: |$)/i.test(text));
  const record = records[0];
  if (record === undefined || records.length > 1 || record.length > recordCharactersMax) {
    return undefined;
  }
  const terms = record.toLowerCase().split(/ +/).slice(1, termsMax);
  // An include with the qualifier `-` is not one of the domain's own senders.
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
