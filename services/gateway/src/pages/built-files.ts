import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import type { RequestHandler, Response } from 'express';
import sirv from 'sirv';
import { sendPage } from './layout.ts';

/** Names of built assets change with their content. */
const assetAgeSeconds = 31_536_000;

/** The build output folder of a package. */
export function builtFolder(name: '@mailproof/web-app' | '@mailproof/docs-site'): string {
  return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), 'dist');
}

/**
 * Serves the files of a build, which are listed once: a request cannot name another file. Files whose path matches
 * `assets` may be kept forever; the others are asked for again each time.
 */
export function builtFiles(
  folder: string,
  assets: RegExp,
  setHeaders: (response: Response, path: string) => void = () => undefined,
): RequestHandler {
  const files = sirv(folder, {
    brotli: true,
    etag: true,
    setHeaders: (response, path) => setHeaders(response as Response, path),
  });
  return (request, response, next) => {
    const before = response.getHeader('cache-control') ?? 'no-store';
    // Before the file is looked for: what is unchanged is answered with these headers too.
    const caching = assets.test(request.path) ? `public,max-age=${assetAgeSeconds},immutable` : 'no-cache';
    response.set({ 'cache-control': caching, vary: 'Accept-Encoding' });
    response.once('pipe', endWithSource);
    files(request, response, () => {
      response.off('pipe', endWithSource);
      response.set('cache-control', String(before));
      next();
    });
  };
}

/**
 * Ends a response whose file cannot be read, because it is gone or too many files are open. `sirv` leaves the error
 * without a listener, which would end the process.
 */
function endWithSource(this: Response, file: Readable): void {
  file.once('error', () => this.destroy());
}

export function readPage(folder: string, file: string): string {
  return readFileSync(join(folder, file), 'utf8');
}

/** Answers 503 with what to do, as HTML. */
export function sendUnbuilt(response: Response, what: string, remedy: string): void {
  sendPage(response.status(503), {
    title: 'Not built',
    description: `${what} has not been built.`,
    main: `<h1>${what} has not been built</h1>\n<p>${remedy}</p>`,
  });
}
