import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { projectRoot } from '../project-root.ts';

const link = /\[((?:[^\][]|\[[^\][]*\])*)\]\(([^)\s]+)\)/g;
/** Decisions are read in a checkout only. */
const guide = /^docs\/(?!adr\/)(.+)\.md$/;
const readme = /^(.+)\/README\.md$/;

/**
 * The README of a package as its registry shows it. A registry has no other file of the checkout, and each installation
 * serves its own documentation, at a URL that only its users know: a link becomes its text and, if the installation
 * serves the page, the path there.
 */
export function packedReadme(folder: string): string {
  const text = readFileSync(join(projectRoot, folder, 'README.md'), 'utf8');
  return text.replace(link, (whole, label: string, target: string) => {
    if (/^([a-z]+:|#)/.test(target)) return whole;
    const [path = '', hash] = target.split('#');
    const named = normalize(join(folder, path));
    const [, page] = guide.exec(named) ?? readme.exec(named) ?? [];
    if (page === undefined || dirname(named) === '.') return label;
    return `${label} (\`/docs/${page.toLowerCase()}${hash ? `#${hash}` : ''}\` of your installation)`;
  });
}
