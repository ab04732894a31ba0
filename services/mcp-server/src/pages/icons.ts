import { readFileSync } from 'node:fs';
import type { Express } from 'express';

/** The web application's logo, as SVG and, for clients that do not render SVG, as PNG. */
const icons = [
  { path: '/icon.svg', file: './mark.svg', mimeType: 'image/svg+xml', sizes: ['any'] },
  { path: '/icon.png', file: './mark.png', mimeType: 'image/png', sizes: ['128x128'] },
] as const;

/** The icon of the pages. Their policy allows images of this origin. */
export const pageIcon = icons[0];

/** How long a browser caches an icon, in seconds. */
const keptSeconds = 86_400;

/** The icons as the protocol lists them (MCP specification, "Icon"). */
export function listedIcons(publicBaseUrl: string) {
  return icons.map(({ path, mimeType, sizes }) => ({
    src: `${publicBaseUrl}${path}`,
    mimeType,
    sizes: [...sizes],
  }));
}

/** Serves the icons to everyone: assistants show them on their own pages. */
export function mountIcons(app: Express): void {
  for (const { path, file, mimeType } of icons) {
    const octets = readFileSync(new URL(file, import.meta.url));
    // Browsers request this path if a page links no icon. They use the media type, so it need not be an ICO file.
    const paths = mimeType === 'image/png' ? [path, '/favicon.ico'] : [path];
    app.get(paths, (_request, response) => {
      response
        .set({
          'content-type': mimeType,
          'cache-control': `public, max-age=${keptSeconds}`,
          'access-control-allow-origin': '*',
          'cross-origin-resource-policy': 'cross-origin',
          // An SVG that a browser opens directly is a document, which could run scripts.
          'content-security-policy': "default-src 'none'",
        })
        .end(octets);
    });
  }
}
