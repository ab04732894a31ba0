import { useSyncExternalStore } from 'react';
import { createDownloads, type Download, type Received } from './downloads.ts';

/** How long the browser may take to read a saved file, in milliseconds. */
const readMsMax = 60_000;

function saveFile({ fileName, content }: Received): void {
  const url = URL.createObjectURL(content);
  clickLink(url, fileName);
  setTimeout(() => URL.revokeObjectURL(url), readMsMax);
}

/** With an empty name, the file gets the one that the server gives. */
function clickLink(href: string, fileName: string): void {
  const link = document.createElement('a');
  link.href = href;
  link.download = fileName;
  link.click();
}

/** The downloads of this page. */
export const downloads = createDownloads({
  fetch: (href, init) => fetch(href, init),
  save: saveFile,
  handOver: href => clickLink(href, ''),
  wait: ms => new Promise(resolve => setTimeout(resolve, ms)),
});

export function useDownloads(): readonly Download[] {
  return useSyncExternalStore(downloads.subscribe, downloads.list);
}

/** The last download of a URL. */
export function useDownload(href: string): Download | undefined {
  return useDownloads().find(each => each.href === href);
}
