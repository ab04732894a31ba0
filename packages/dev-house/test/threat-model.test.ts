import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const page = readFileSync(`${root}/docs/threat-model.md`, 'utf8');
const borders = page.split(/^## (?=\d+\. )/m).slice(1);

describe('the threat model', () => {
  it('draws every border that it treats, and treats every one that it draws', () => {
    const [, drawing = ''] = /```mermaid\n(.*?)```/s.exec(page) ?? [];
    const drawn = [...drawing.matchAll(/-- (\d+) -->/g)].map(([, number]) => Number(number));
    const treated = borders.map(border => Number(/^\d+/.exec(border)?.[0]));
    expect([...new Set(drawn)].sort()).toEqual(treated);
    expect(treated.length).toBeGreaterThanOrEqual(9);
  });

  it.each(borders.map(border => [border.split('\n', 1)[0], border]))(
    'names for every answer of "%s" a test that exists and examines something',
    (_title, border = '') => {
      const [, ...rows] = border
        .split(/^#/m, 1)[0]
        ?.split('\n')
        .filter(line => line.startsWith('| ') && !line.startsWith('| ---')) ?? [''];
      expect(rows.length).toBeGreaterThanOrEqual(4);
      for (const row of rows) {
        const named = [...row.matchAll(/`([\w./-]+\.(?:test|long|browser)\.ts)`/g)].map(
          ([, path = '']) => path,
        );
        const kept = named.filter(path => existsSync(`${root}/${path}`));
        expect([row, kept.length]).toEqual([row, Math.max(1, named.length)]);
        for (const path of kept) {
          expect(readFileSync(`${root}/${path}`, 'utf8')).toMatch(/\b(it|test|describe\w*)(\.\w+)*\(/);
        }
      }
    },
  );
});
