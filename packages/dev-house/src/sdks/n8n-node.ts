import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../project-root.ts';
import { providedFolder, runProgram } from '../provided-folder.ts';
import { packedReadme } from './packed-readme.ts';

/** The folder of the nodes for n8n; its lockfile pins their tools. */
export const n8nNodeFolder = join(projectRoot, 'sdks/n8n');

/**
 * Fetches n8n's packages and its linter, which an earlier run did not leave: 190 MB. They are not in our lockfile: n8n's
 * license is not an open-source license, and the nodes only name the types and errors of the n8n that runs them.
 */
export function provideN8nTools(report: (line: string) => void): string {
  const folder = providedFolder({
    name: 'n8n',
    cache: 'sdk-tools',
    pins: n8nNodeFolder,
    files: ['package.json', 'pnpm-lock.yaml'],
    report,
    make: made => {
      mkdirSync(made, { recursive: true });
      for (const file of ['package.json', 'pnpm-lock.yaml'])
        cpSync(join(n8nNodeFolder, file), join(made, file));
      const install = ['install', '--ignore-workspace', '--frozen-lockfile', '--ignore-scripts'];
      runProgram('pnpm', install, { cwd: made });
    },
  });
  return join(folder, 'node_modules');
}

/** Checks the nodes with n8n's rules, compiles them, and returns the path of their tarball in the given folder. */
export function packN8nNode(tools: string, into: string): string {
  const scratch = mkdtempSync(join(tmpdir(), 'mailproof-pack-'));
  try {
    const copy = join(scratch, 'package');
    cpSync(n8nNodeFolder, copy, { recursive: true, filter: path => !/\/(node_modules|dist)$/.test(path) });
    cpSync(join(projectRoot, 'LICENSE'), join(copy, 'LICENSE'));
    writeFileSync(join(copy, 'README.md'), packedReadme('sdks/n8n'));
    symlinkSync(tools, join(copy, 'node_modules'));
    // With NODE_ENV `test`, n8n's rules treat every file as a test.
    const options = { cwd: copy, env: { NODE_ENV: 'production' } };
    runProgram(process.execPath, [join(tools, 'eslint/bin/eslint.js'), '--max-warnings=0', '.'], options);
    runProgram(process.execPath, [join(tools, 'typescript/bin/tsc'), '-p', '.'], { cwd: copy });
    for (const node of ['Mailproof', 'MailproofTrigger']) {
      const mark = join(projectRoot, 'packages/web-app/public/mark.svg');
      cpSync(mark, join(copy, 'dist/nodes', node, 'mailproof.svg'));
    }
    runProgram('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', into], { cwd: copy });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  const tarball = readdirSync(into).find(
    name => name.startsWith('n8n-nodes-mailproof') && name.endsWith('.tgz'),
  );
  if (tarball === undefined) throw new Error('No tarball was packed.');
  return join(into, tarball);
}
