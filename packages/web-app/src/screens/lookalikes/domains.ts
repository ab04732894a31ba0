/** The domains in what somebody typed or pasted: names, addresses of pages, or of people, in any order, one or many. */
export function splitDomains(text: string): string[] {
  const parts = text.split(/[\s,;|"'<>()]+/u).filter(part => part !== '');
  return [...new Set(parts.map(domainOf))];
}

/** What is wrong with a domain, in a sentence, as far as it can be told without asking. */
export function domainFault(domain: string): string | undefined {
  const isDomain = /^(?!-)[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)+$/u.test(domain) && !/^[\d.]+$/.test(domain);
  return isDomain ? undefined : `${domain} is not a domain.`;
}

function domainOf(part: string): string {
  const address = part.replace(/^mailto:/i, '').replace(/[.!?]+$/u, '');
  try {
    const { hostname } = new URL(/^[a-z]+:\/\//i.test(address) ? address : `https://${address}`);
    return hostname.replace(/^www\./, '').replace(/\.$/, '');
  } catch {
    return address.toLowerCase();
  }
}
