import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { projectRoot } from './project-root.ts';

interface Stamp {
  isStamped(root: string, name: string, files: readonly string[]): boolean;
  writeStamp(root: string, name: string, files: readonly string[]): void;
  installationFiles(root: string): string[];
}

describe('the stamp that spares a second installation', () => {
  let root = '';
  let stamp: Stamp;
  beforeEach(async () => {
    stamp = (await import(join(projectRoot, 'scripts/stamp.mjs'))) as Stamp;
    root = await mkdtemp(join(tmpdir(), 'mailproof-stamp-'));
    for (const folder of ['node_modules', 'packages/a', 'packages/not-a-package', 'services/b']) {
      await mkdir(join(root, folder), { recursive: true });
    }
    for (const file of ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', 'packages/a/package.json']) {
      await writeFile(join(root, file), file);
    }
  });
  afterEach(async () => {
    await rm(root, { recursive: true, force: true });
  });

  test('covers the lockfile, the workspace and every manifest', () => {
    expect(stamp.installationFiles(root)).toEqual([
      'package.json',
      'pnpm-lock.yaml',
      'pnpm-workspace.yaml',
      'packages/a/package.json',
    ]);
  });

  test('holds until a file changes or one is added', async () => {
    const isFresh = (): boolean => stamp.isStamped(root, 'installed', stamp.installationFiles(root));
    expect(isFresh()).toBe(false);
    stamp.writeStamp(root, 'installed', stamp.installationFiles(root));
    expect(isFresh()).toBe(true);
    await writeFile(join(root, 'pnpm-lock.yaml'), 'changed');
    expect(isFresh()).toBe(false);
    stamp.writeStamp(root, 'installed', stamp.installationFiles(root));
    await writeFile(join(root, 'services/b/package.json'), '{}');
    expect(isFresh()).toBe(false);
  });
});
