import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { buildAppDocument, buildRestDocument } from '@mailproof/shared-types';
import { withCodeSamples } from './code-samples.ts';
import { collectionAddress } from './collection.ts';

const references = [
  {
    page: '/docs/reference',
    title: 'API reference',
    description: 'Every operation of the Mailproof API, with examples in curl, TypeScript and Python.',
    document: () => withCodeSamples(buildRestDocument(), 'key'),
  },
  {
    page: '/docs/reference/app',
    title: 'Application API reference',
    description: 'Every operation of the API of Mailproof’s web application, with examples in curl.',
    document: () => withCodeSamples(buildAppDocument(), 'session'),
  },
] as const;

const links = [
  ['/docs/', 'Guides'],
  ...references.map(({ page, title }) => [page, title] as const),
  [collectionAddress, 'Postman collection'],
  ['/docs/errors', 'Error codes'],
  ['/status', 'Status'],
  ['/app', 'Application'],
] as const;

/** Writes both reference pages, their documents, and the renderer with its script, named by their content. */
export function writeReferences(dist: string): void {
  const built = dirname(createRequire(import.meta.url).resolve('@scalar/api-reference'));
  const { version } = JSON.parse(readFileSync(join(built, '../package.json'), 'utf8')) as { version: string };
  const renderer = `/docs/assets/scalar-${version}`;
  cpSync(join(built, 'browser'), join(dist, renderer), {
    recursive: true,
    filter: path => !/\.map$|standalone\.js$/.test(path),
  });
  const script = asset(dist, 'reference.js', source('start.js'));
  const style = asset(dist, 'reference.css', source('reference.css'));
  for (const { page, title, description, document } of references) {
    const url = asset(dist, 'openapi.json', JSON.stringify(document()));
    const menu = links.map(
      ([href, text]) => `<a href="${href}"${href === page ? ' aria-current="page"' : ''}>${text}</a>`,
    );
    write(
      join(dist, `${page}.html`),
      `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${description}">
<title>${title} · Mailproof</title>
<link rel="icon" type="image/svg+xml" href="/docs/mark.svg">
<link rel="stylesheet" href="${style}">
</head>
<body>
<nav class="site" aria-label="Documentation"><a href="/docs/"><img src="/docs/mark.svg" alt="" width="24" height="24">Mailproof</a> ${menu.join(' ')}</nav>
<div id="reference" data-document="${url}" data-renderer="${renderer}/standalone.esm.js"></div>
<noscript><p>The reference needs JavaScript. The same in plain JSON: <a href="${url}">${title}</a>.</p></noscript>
<script type="module" src="${script}"></script>
</body>
</html>
`,
    );
  }
}

function source(file: string): string {
  return readFileSync(new URL(`../reference/${file}`, import.meta.url), 'utf8');
}

/** Writes a file whose name changes with its content, and returns its address. */
function asset(dist: string, name: string, text: string): string {
  const extension = extname(name);
  const hash = createHash('sha256').update(text).digest('base64url').slice(0, 8);
  const address = `/docs/assets/${name.slice(0, -extension.length)}.${hash}${extension}`;
  write(join(dist, address), text);
  return address;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
