import { extname } from 'node:path';

/**
 * Returns the URL of a thread's file, in the folder of the file with the given `import.meta.url`: `.ts` in a checkout,
 * `.js` in a compiled image. The compiler rewrites imports, but does not recognize this as one.
 */
export function threadUrl(name: string, besideUrl: string): URL {
  return new URL(`./${name}${extname(new URL(besideUrl).pathname)}`, besideUrl);
}
