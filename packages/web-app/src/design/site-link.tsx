/** A domain of somebody's, which leads to its site in a window of its own. */
export function SiteLink({ domain }: { readonly domain: string | null }) {
  // What is no plain domain is shown, and leads nowhere.
  if (domain === null || !/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(domain)) return <span>{domain ?? '–'}</span>;
  return (
    <a href={`https://${domain}/`} target="_blank" rel="noopener noreferrer">
      {domain}
    </a>
  );
}

/** An address that a source has named, as a link where it is one that a browser may follow. */
export function WebLink({ url }: { readonly url: string | null }) {
  if (url === null || !URL.canParse(url) || new URL(url).protocol !== 'https:')
    return <span>{url ?? '–'}</span>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {url.replace(/^https:\/\/(www\.)?/, '').replace(/\/$/, '')}
    </a>
  );
}
