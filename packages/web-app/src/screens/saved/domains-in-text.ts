/** The domains in a pasted text, and the parts of it that have none. */
interface DomainsInText {
  readonly domains: readonly string[];
  readonly faulty: readonly string[];
}

/**
 * Reads domains that are separated by white space, commas or semicolons. Of an email address or a web address, the domain
 * is taken, without a leading `www.`. Each domain is returned once.
 */
export function domainsIn(text: string): DomainsInText {
  const domains = new Set<string>();
  const faulty: string[] = [];
  for (const word of text.split(/[\s,;]+/u)) {
    if (word === '') continue;
    const domain = domainOf(word);
    if (domain === undefined) {
      faulty.push(word);
    } else {
      domains.add(domain);
    }
  }
  return { domains: [...domains], faulty };
}

function domainOf(word: string): string | undefined {
  const bare = word.replace(/^["'<(]+|["'>).]+$/gu, '').replace(/^mailto:/iu, '');
  const url = URL.parse(
    /^https?:\/\//iu.test(bare) ? bare : `http://${bare.slice(bare.lastIndexOf('@') + 1)}`,
  );
  const host = url?.hostname.replace(/^www\./u, '').replace(/\.$/u, '');
  // An address of a machine is no domain; a browser writes IPv6 in brackets.
  const isDomain = host !== undefined && /^(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z][a-z\d-]*$/u.test(host);
  return isDomain ? host : undefined;
}
