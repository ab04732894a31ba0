import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const root = fileURLToPath(new URL('../../..', import.meta.url));

const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
  .toString()
  .split('\n')
  .filter(path => path !== '' && existsSync(join(root, path)));
const pages = tracked
  .filter(path => path.endsWith('.md'))
  .map(path => ({ path, text: readFileSync(join(root, path), 'utf8') }));

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

/** Matches a path that is relative to the root or to the page's own package. */
const pathLike = /^(?:\.ci|deploy|docs|helm|packages|scripts|services|src|test|migrations|prisma)\/[\w./-]+$/;

function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(match => match[1] ?? '');
}

/** Removes fenced blocks, which are checked as commands, so that inline code and links remain. */
function prose(text: string): string {
  return text.replace(/```[\s\S]*?```/g, '');
}

describe.each(pages)('$path', ({ path, text }) => {
  const folder = dirname(path);

  it('links to files that exist', () => {
    const targets = matches(prose(text), /\]\(([^)#\s]+)(?:#[^)]*)?\)/g).filter(
      target => !/^[a-z]+:/.test(target),
    );
    expect(targets.filter(target => !existsSync(join(root, folder, target)))).toEqual([]);
  });

  it('names paths that exist', () => {
    const named = matches(prose(text), /`([^`]+)`/g).filter(
      name => pathLike.test(name) && !name.includes('NNNN'),
    );
    const missing = named.filter(
      name => !existsSync(join(root, name)) && !existsSync(join(root, normalize(join(folder, name)))),
    );
    expect(missing).toEqual([]);
  });

  it('names commands that exist', () => {
    const named = [
      ...matches(text, /\bpnpm (?:run )?([a-z][\w:-]*)/g),
      ...matches(text, /\bnpm run ([a-z][\w:-]*)/g),
      ...matches(text, /\bnpm (start|test)\b/g),
    ];
    expect(named.filter(name => !(name in scripts))).toEqual([]);
  });
});

describe('the list of decisions', () => {
  const list = readFileSync(join(root, 'docs/adr/README.md'), 'utf8');
  const decisions = tracked.filter(path => /^docs\/adr\/\d{4}-[^/]+\.md$/.test(path));

  it('has every decision under its title, in their order', () => {
    expect(decisions.length).toBeGreaterThanOrEqual(30);
    const rows = decisions.sort().map(path => {
      const title = readFileSync(join(root, path), 'utf8').split('\n')[0]?.replace(/^# /, '');
      return `- [${title}](${path.slice('docs/adr/'.length)})`;
    });
    expect(list.split('\n').filter(line => /^- \[\d{4} /.test(line))).toEqual(rows);
  });
});

describe('each service', () => {
  const services = tracked.flatMap(path => /^services\/([^/]+)\/src\/config\.ts$/.exec(path)?.[1] ?? []);
  const common = matches(
    readFileSync(join(root, 'packages/service-kit/src/config.ts'), 'utf8'),
    /^ {2}([A-Z][A-Z0-9_]+):/gm,
  );

  it('is checked', () => {
    expect(services.length).toBeGreaterThanOrEqual(3);
    expect(common).toContain('SERVICE_SIGNING_KEY');
  });

  it.each(services)('%s documents every setting that it reads', service => {
    const config = readFileSync(join(root, 'services', service, 'src/config.ts'), 'utf8');
    const page = readFileSync(join(root, 'services', service, 'README.md'), 'utf8');
    const own = matches(config, /^ +([A-Z][A-Z0-9_]+):/gm);
    expect(own.length).toBeGreaterThan(0);
    expect([...common, ...own].filter(setting => !page.includes(`\`${setting}\``))).toEqual([]);
  });
});
