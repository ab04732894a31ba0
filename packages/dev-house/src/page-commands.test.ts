import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { pageCommands } from './page-commands.ts';
import { projectRoot } from './project-root.ts';

const page = [
  '# A page',
  '',
  'Words.',
  '',
  '```sh',
  'first',
  '```',
  '',
  '## With Compose',
  '',
  '1. In a list:',
  '',
  '   ```sh',
  '   for each in 1 2; do',
  '     echo $each',
  '   done',
  '   ```',
  '',
  '```json',
  '{ "not": "a command" }',
  '```',
  '',
  '```sh',
  '# A comment is no heading.',
  'last',
  '```',
  '',
  '## On Kubernetes',
  '',
  '```sh',
  'kubectl',
  '```',
].join('\n');

describe('the commands of a page', () => {
  test('are the shell blocks below a heading, up to the next one, without the indent of a list', () => {
    expect(pageCommands(page, '## With Compose')).toEqual([
      'for each in 1 2; do\n  echo $each\ndone',
      '# A comment is no heading.\nlast',
    ]);
    expect(pageCommands(page, '# A page')).toEqual(['first']);
  });

  test('are not silently none', () => {
    expect(() => pageCommands(page, '## With Swarm')).toThrow('no heading "## With Swarm"');
    expect(() => pageCommands('## Empty\n\n```json\n{}\n```\n', '## Empty')).toThrow('no commands');
  });

  test.each([
    ['run-with-compose.md', '# Run it with Compose', 1],
    ['backup-and-restore.md', '## With Compose', 3],
    ['upgrading.md', '## Upgrade', 3],
  ])('of %s below "%s" are as many blocks as `pnpm compose:try` takes', (name, heading, count) => {
    expect(pageCommands(readFileSync(join(projectRoot, 'docs', name), 'utf8'), heading)).toHaveLength(count);
  });

  test('of the README start Compose as the guide does', () => {
    const read = (path: string) => readFileSync(join(projectRoot, path), 'utf8');
    expect(pageCommands(read('README.md'), '## Run it with Compose')).toEqual(
      pageCommands(read('docs/run-with-compose.md'), '# Run it with Compose'),
    );
  });
});
