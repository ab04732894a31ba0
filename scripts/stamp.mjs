import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The path of a stamp. It is in `node_modules`, so that it is deleted together with the packages. */
function stampPath(root, name) {
  return join(root, 'node_modules', `.mailproof-${name}`);
}

/** Whether the work called `name` was last done for exactly these files. */
export function isStamped(root, name, files) {
  const path = stampPath(root, name);
  return existsSync(path) && readFileSync(path, 'utf8') === hashOf(root, files);
}

export function writeStamp(root, name, files) {
  writeFileSync(stampPath(root, name), hashOf(root, files));
}

/** The files that determine what an installation contains. */
export function installationFiles(root) {
  const manifests = workspaceFolders(root).map(folder => `${folder}/package.json`);
  return ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', ...manifests];
}

export function workspaceFolders(root) {
  return ['packages', 'services'].flatMap(parent =>
    readdirSync(join(root, parent))
      .sort()
      .map(name => `${parent}/${name}`)
      .filter(folder => existsSync(join(root, folder, 'package.json'))),
  );
}

/** The hash includes names and lengths, so that different sets of files get different hashes. */
export function hashOf(root, files) {
  const hash = createHash('sha256');
  for (const file of files) {
    const path = join(root, file);
    const content = existsSync(path) ? readFileSync(path) : '';
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}
