import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';
import type { Group } from '../src/pages.ts';

/** Where the build, which is this process, writes the pages. */
const scratch = `generated/${process.pid}`;
const groups = JSON.parse(
  readFileSync(new URL(`../${scratch}/groups.json`, import.meta.url), 'utf8'),
) as Group[];

/** Addresses of the installation that are not pages of the site: its router must not answer them. */
const elsewhere = /^\/(app|status|openapi|llms\.txt|docs\/reference|docs\/errors\/)/;
const outside = [
  { text: 'API reference', link: '/docs/reference', target: '_self' },
  { text: 'Status', link: '/status', target: '_self' },
  { text: 'Application', link: '/app', target: '_self' },
];

export default defineConfig({
  title: 'Mailproof',
  titleTemplate: ':title · Mailproof',
  lang: 'en',
  // Pages are at /docs/…, and links lead to the rest of the installation too.
  srcDir: `${scratch}/pages`,
  outDir: `${scratch}/dist`,
  assetsDir: 'docs/assets',
  cacheDir: `${scratch}/cache`,
  cleanUrls: true,
  // The list of pages is a file instead of an inline script, which the gateway's policy would refuse.
  metaChunk: true,
  // Otherwise a change of the theme writes a style into the page, which the policy refuses.
  appearance: { disableTransition: false },
  ignoreDeadLinks: [elsewhere],
  head: [
    ['link', { rel: 'icon', href: '/docs/mark.svg', type: 'image/svg+xml' }],
    ['link', { rel: 'stylesheet', href: '/docs/brand.css' }],
  ],
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    // Anchors as the code host makes them: guides link to them in both places.
    config(markdown) {
      const { rules } = markdown.renderer;
      const { link_open: openLink } = rules;
      rules['link_open'] = (tokens, at, ...rest) => {
        if (elsewhere.test(tokens[at]?.attrGet('href') ?? '')) tokens[at]?.attrSet('target', '_self');
        return openLink?.(tokens, at, ...rest) ?? '';
      };
      // Braces of a guide are text, and not expressions of the site.
      for (const name of ['text', 'code_inline']) {
        const render = rules[name];
        if (render) rules[name] = (...given) => render(...given).replaceAll('{{', '&#123;&#123;');
      }
    },
    anchor: {
      slugify: text =>
        text
          .trim()
          .toLowerCase()
          .replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
          .replace(/ /g, '-'),
    },
  },
  vite: {
    // The policy allows no scripts and styles from data URLs.
    build: { assetsInlineLimit: 0, reportCompressedSize: false },
  },
  themeConfig: {
    logo: '/docs/mark.svg',
    logoLink: '/docs/',
    search: { provider: 'local' },
    nav: [{ text: 'Guides', link: '/docs/', activeMatch: '^/docs/(?!errors|changelog)' }, ...outside],
    sidebar: [
      ...groups.map(({ title, links }) => ({
        text: title,
        items: links.map(({ text, address }) => ({ text, link: address })),
      })),
      {
        text: 'Reference',
        items: [
          ...outside.slice(0, 1),
          { text: 'Application API reference', link: '/docs/reference/app', target: '_self' },
          { text: 'Error codes', link: '/docs/errors' },
          { text: 'Changelog', link: '/docs/changelog' },
        ],
      },
    ],
    outline: [2, 3],
  },
});
