import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { projectRoot } from '../project-root.ts';
import { findReferences, isExact, referencesIn } from './image-references.ts';

describe('the images that others publish', () => {
  const found = findReferences(projectRoot);

  it('each have an exact version, so that none changes unnoticed', () => {
    expect(found.length).toBeGreaterThan(8);
    expect(
      found.filter(reference => !isExact(reference)).map(({ file, text: name }) => [file, name]),
    ).toEqual([]);
  });

  it('have the same version in every file', () => {
    const byName = Map.groupBy(found, ({ registry, repository }) => `${registry}/${repository}`);
    const several = [...byName].filter(([, all]) => new Set(all.map(({ text: name }) => name)).size > 1);
    expect(several.map(([name]) => name)).toEqual([]);
  });

  it('include their registry, in the files that the tool reads', () => {
    const { services } = parse(readFileSync(join(projectRoot, 'docker-compose.yml'), 'utf8'), {
      merge: true,
    }) as {
      services: Record<string, { image: string }>;
    };
    const values = parse(readFileSync(join(projectRoot, 'helm/mailproof/values.yaml'), 'utf8')) as Record<
      'postgres' | 'redis',
      { bundled: { image: string } }
    >;
    const dockerfile = readFileSync(join(projectRoot, 'deploy/Dockerfile'), 'utf8');
    const stages = [...dockerfile.matchAll(/^FROM \S+ AS (\S+)$/gm)].map(match => match[1]);
    const bases = [...dockerfile.matchAll(/^(?:FROM|ARG NODE_IMAGE=|COPY --from=)\s*(\S+)/gm)].map(
      match => match[1] ?? '',
    );
    const named = [
      ...Object.values(services).map(({ image }) => image),
      ...[values.postgres, values.redis].map(({ bundled }) => bundled.image),
      ...bases.filter(base => !base.startsWith('$') && !stages.includes(base)),
    ].filter(image => !image.startsWith('mailproof/'));
    expect(named.length).toBeGreaterThan(6);
    const known = new Set(found.map(({ text: name }) => name));
    expect(named.filter(image => !known.has(image))).toEqual([]);
  });

  it('appear nowhere else, except in generated files and tests', () => {
    const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: projectRoot, encoding: 'utf8' }).split(
      '\0',
    );
    const read = new Set(found.map(({ file }) => file));
    const missed = tracked
      .filter(file => /\.(ya?ml|md|sh|mjs|ts|json|tpl|txt)$|Dockerfile$/.test(file))
      .filter(file => !read.has(file) && !/golden\/|\.test\.ts$|images\/image-references\.ts$/.test(file))
      .filter(file =>
        referencesIn(readFileSync(join(projectRoot, file), 'utf8')).some(
          ({ repository }) => repository.split('/')[0] !== 'mailproof',
        ),
      );
    expect(tracked.length).toBeGreaterThan(1_000);
    expect(missed).toEqual([]);
  });

  it.each([
    ['docker.io/library/redis:8', false],
    ['docker.io/library/redis:8.6', false],
    ['docker.io/library/redis:8.6-bookworm', false],
    ['docker.io/library/redis:latest', false],
    ['docker.io/library/redis', false],
    ['docker.io/library/redis:8.6.3-bookworm', true],
    ['docker.io/library/postgres:18', false],
    ['docker.io/library/postgres:18.1-bookworm', true],
    ['docker.io/prom/prometheus:v3.5.0', true],
    [`docker.io/grafana/grafana:12.1.1@sha256:${'a'.repeat(64)}`, true],
    [`docker.io/library/node@sha256:${'a'.repeat(64)}`, false],
  ])('count as exact or not by their tag: %s', (name, exact) => {
    const [reference] = referencesIn(`image: ${name}\n`);
    expect(reference?.text).toBe(name);
    expect(reference && isExact(reference)).toBe(exact);
  });
});
