import { cp, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { buildRestDocument } from '@mailproof/shared-types';
import { build } from 'vitepress';
import { assistantsList } from './assistants-list.ts';
import { collectionAddress, collectionOf } from './collection.ts';
import { compress } from './compress.ts';
import { errorCodesPage } from './error-codes-page.ts';
import { addressOf, groupsOf, readGuides, root } from './pages.ts';
import { writeReferences } from './reference.ts';

/*
 * Builds what the gateway serves below /docs into dist/: the pages as HTML and as Markdown, and the API references.
 */
const folder = join(import.meta.dirname, '..');
// A start and a test run can build at the same time.
const scratch = join(folder, 'generated', String(process.pid));
const staged = join(scratch, 'pages');
const made = join(scratch, 'dist');
const served = join(folder, 'dist');

try {
  await makeSite();
  // At once, because a gateway may be serving the last build.
  await rename(served, join(scratch, 'last')).catch(() => undefined);
  await rename(made, served);
} finally {
  await rm(scratch, { recursive: true, force: true });
}

/** Makes the site in the scratch folder. */
async function makeSite(): Promise<void> {
  const { pages, files } = readGuides();
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
  await write(join(scratch, 'groups.json'), JSON.stringify(groups));
  for (const file of files) await copy(join(root, file), join(staged, 'public', addressOf(file)));
  await copy(join(root, 'packages/web-app/public/mark.svg'), join(staged, 'public/docs/mark.svg'));
  await copy(join(folder, 'brand.css'), join(staged, 'public/docs/brand.css'));

  await build(folder);
  for (const { address, text } of all) await write(join(made, `${address}.md`), text);
  writeReferences(made);
  const collection = await collectionOf(buildRestDocument({ forPrograms: true }));
  await write(join(made, collectionAddress), JSON.stringify(collection));
  await write(join(made, 'llms.txt'), assistantsList(groups, home));
  await compress(made);
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

async function copy(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await cp(from, to);
}
