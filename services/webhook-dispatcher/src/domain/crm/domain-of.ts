/**
 * The domain of a website, by which companies are told apart: `https://www.example.com/about` is `example.com`. Names in
 * other scripts are written as DNS has them (RFC 5891). Undefined for what is no website.
 */
export function domainOf(website: string): string | undefined {
  const text = website.trim();
  if (text === '' || text.length > 2_000 || /[\s\\]/.test(text)) {
    return undefined;
  }
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return undefined;
  }
  const host = url.hostname.replace(/\.$/, '').replace(/^www\.(?=[^.]+\.)/, '');
  // Numbers at the end are an address (RFC 3986 section 3.2.2), which says nothing about whose it is.
  return /\.(?=[^.]*[a-z])[^.]+$/.test(host) ? host : undefined;
}
