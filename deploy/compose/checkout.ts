import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@mailproof/dev-house/images';
import { run } from '../smoke/shell.ts';

/** A checkout as a user has it, and the repository from which it is updated. */
export interface Checkout {
  readonly folder: string;
  /** Adds a line to a page that the gateway serves, and commits it where `git pull` finds it. */
  release(sentence: string): void;
}

/** The page that a release changes: it is part of an image, and anyone can read it. */
export const changedPage = { file: 'docs/glossary.md', path: '/docs/glossary' };

const author = ['-c', 'user.name=Trial', '-c', 'user.email=trial@mailproof.example'];

/** Commits the files of this checkout, changes included, to a new repository, and clones it. */
export function makeCheckout(folder: string): Checkout {
  const origin = join(folder, 'origin.git');
  const checkout = join(folder, 'mailproof');
  const upstream = join(folder, 'upstream');
  run('git', 'init', '--quiet', '--bare', '--initial-branch=main', origin);
  const git = ['git', '--git-dir', origin, '--work-tree', projectRoot] as const;
  for (const command of [
    ['-c', 'core.bare=false', 'add', '--all'],
    ['-c', 'core.bare=false', ...author, 'commit', '--quiet', '--message', 'This checkout'],
  ])
    run(...git, ...command);
  for (const clone of [checkout, upstream]) run('git', 'clone', '--quiet', origin, clone);
  return {
    folder: checkout,
    release: sentence => {
      appendFileSync(join(upstream, changedPage.file), `\n${sentence}\n`);
      run('git', '-C', upstream, ...author, 'commit', '--quiet', '--all', '--message', 'The next release');
      run('git', '-C', upstream, 'push', '--quiet');
    },
  };
}
