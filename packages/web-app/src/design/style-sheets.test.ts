import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from '@jest/globals';

const source = join(import.meta.dirname, '..');
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).map(file => join(source, file));

/** The classes that a component uses and its style sheet lacks; the compiler takes any name. */
function missingClasses(file: string): string[] {
  const code = readFileSync(file, 'utf8');
  return [...code.matchAll(/^import (\w+) from '([^']+\.module\.css)'/gm)].flatMap(([, name, sheet]) => {
    const rules = readFileSync(join(dirname(file), sheet ?? ''), 'utf8');
    const used = [...code.matchAll(new RegExp(`\\b${name}\\.(\\w+)`, 'g'))].map(([, each = '']) => each);
    return used
      .filter(each => !new RegExp(`\\.${each}\\b`).test(rules))
      .map(each => `${file.slice(source.length + 1)}: ${name}.${each}`);
  });
}

it('have every class that a component uses', () => {
  const components = files.filter(file => file.endsWith('.tsx'));
  expect(components.length).toBeGreaterThan(100);
  expect(components.flatMap(missingClasses)).toEqual([]);
});
