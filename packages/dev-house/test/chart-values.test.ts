import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { projectRoot } from '../src/project-root.ts';

const chart = join(projectRoot, 'helm/mailproof');
const values = parse(readFileSync(join(chart, 'values.yaml'), 'utf8')) as Record<string, unknown>;
const page = readFileSync(join(chart, 'README.md'), 'utf8');

/** The documentation lists these values once for all services. */
const anyService = 'services.<name>';

/** Returns the paths of all values. An empty object or a list is a value; an object with members is not. */
function pathsOf(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [path];
  const entries = Object.entries(value);
  // The documentation treats amounts of CPU and memory as one value.
  if (entries.length === 0 || path.endsWith('.resources')) return [path];
  return entries.flatMap(([key, inner]) => pathsOf(inner, path ? `${path}.${key}` : key));
}

const known = new Set(pathsOf(values, '').map(path => path.replace(/^services\.[^.]+/, anyService)));
const rows = page
  .split('\n')
  .flatMap(line => /^\| `([^`]+)`\s+\|\s*(.*?)\s*\|\s*(.*?)\s*\|$/.exec(line)?.slice(1, 3) ?? [])
  .reduce<[string, string][]>((pairs, text, index, all) => {
    if (index % 2 === 0) pairs.push([text, all[index + 1] ?? '']);
    return pairs;
  }, []);

describe('the values of the chart', () => {
  it('are each in the table of its page, and the table has no others', () => {
    expect(known.size).toBeGreaterThan(80);
    expect(rows.map(([path]) => path).sort()).toEqual([...known].sort());
  });

  it('have the defaults that the table says', () => {
    const wrong = rows.filter(([path, said]) => {
      if (path.startsWith(anyService) || said === 'see values.yaml') return false;
      const value = path
        .split('.')
        .reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], values);
      return said !== `\`${typeof value === 'string' && value !== '' ? value : JSON.stringify(value)}\``;
    });
    expect(wrong).toEqual([]);
  });
});
