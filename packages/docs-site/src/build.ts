import { cp, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { build } from 'vitepress';
import { assistantsList } from './assistants-list.ts';
import { compress } from './compress.ts';
import { errorCodesPage } from './error-codes-page.ts';
import { addressOf, groupsOf, readGuides, root } from './pages.ts';
import { writeReferences } from './reference.ts';

/*
 * Builds what the gateway serves below /docs into dist/: the pages as HTML and as Markdown, and the API references.
 */
const folder = join(import.meta.dirname, '..');
const staged = join(folder, 'generated/pages');
const made = join(folder, 'generated/dist');
const served = join(folder, 'dist');

await rm(join(folder, 'generated'), { recursive: true, force: true });
const { pages, images } = readGuides();
const [home] = pages;
const groups = groupsOf(home.text);
const all = [...pages, errorCodesPage()];
const listed = new Set(groups.flatMap(({ links }) => links.map(({ address }) => address)));
for (const { address, description, text } of all) {
  // Pages that only others lead to, such as those about our packages, would hide the guides in the results.
  const isFound = listed.has(address) || /^\/docs\/(errors|changelog|runbooks\/.*)$/.test(address);
  const facts = [`description: ${JSON.stringify(description)}`, `search: ${isFound}`];
  await write(join(staged, `${address}.md`), ['---', ...facts, '---', '', text].join('\n'));
}
await write(join(folder, 'generated/groups.json'), JSON.stringify(groups));
for (const image of images) await copy(join(root, image), join(staged, 'public', addressOf(image)));
await copy(join(root, 'packages/web-app/public/mark.svg'), join(staged, 'public/docs/mark.svg'));
await copy(join(folder, 'brand.css'), join(staged, 'public/docs/brand.css'));

await build(folder);
for (const { address, text } of all) await write(join(made, `${address}.md`), text);
writeReferences(made);
await write(join(made, 'llms.txt'), assistantsList(groups, home));
await compress(made);
// At once, because a gateway may be serving the last build.
await rename(served, join(folder, 'generated/last')).catch(() => undefined);
await rename(made, served);

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

async function copy(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await cp(from, to);
}
