import { extname } from 'node:path';

/**
 * The file of a thread that stands beside the file whose `import.meta.url` is given: `.ts` in a checkout, `.js` where
 * an image has been compiled. The compiler rewrites imports, and cannot know that this is one.
 */
export function threadUrl(name: string, besideUrl: string): URL {
  return new URL(`./${name}${extname(new URL(besideUrl).pathname)}`, besideUrl);
}
