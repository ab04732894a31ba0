import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const migrations = globSync('services/*/migrations/*.sql', { cwd: root });

/** Returns the linter's findings for a migration, with this project's settings. */
function faultsIn(sql: string): string[] {
  const { stdout } = spawnSync('squawk', ['--reporter', 'json', '--stdin-filepath', 'migration.sql'], {
    cwd: root,
    input: `-- Up Migration\n\n${sql}\n`,
    encoding: 'utf8',
  });
  return (JSON.parse(stdout) as { rule_name: string }[]).map(({ rule_name }) => rule_name);
}

describe('the linter of migrations', () => {
  it.each([
    ['ALTER TABLE account DROP COLUMN plan;', 'ban-drop-column'],
    ['DROP TABLE account;', 'ban-drop-table'],
    ['ALTER TABLE account RENAME COLUMN plan TO tariff;', 'renaming-column'],
    ['ALTER TABLE account RENAME TO tenant;', 'renaming-table'],
    ['ALTER TABLE account ADD COLUMN region text NOT NULL;', 'adding-required-field'],
    ['ALTER TABLE account ALTER COLUMN plan SET NOT NULL;', 'adding-not-nullable-field'],
    ['ALTER TABLE account ALTER COLUMN plan TYPE integer USING plan::integer;', 'changing-column-type'],
    ['CREATE INDEX account_by_plan ON account (plan);', 'require-concurrent-index-creation'],
    ['ALTER TABLE account ADD CONSTRAINT named CHECK (plan <> $$$$);', 'constraint-missing-not-valid'],
  ])('refuses %s', (sql, rule) => {
    expect(faultsIn(sql)).toContain(rule);
  });

  it('accepts changes that the previous release does not notice', () => {
    expect(
      faultsIn(`ALTER TABLE account ADD COLUMN region text, ADD COLUMN seats bigint NOT NULL DEFAULT 1;
        CREATE TABLE seat (seat_id text PRIMARY KEY, account_id text NOT NULL);
        CREATE INDEX seat_by_account ON seat (account_id);`),
    ).toEqual([]);
  });
});

describe('a migration that leaves a rule aside', () => {
  const leaving = migrations
    .map(path => ({ path, text: readFileSync(`${root}/${path}`, 'utf8') }))
    .filter(({ text }) => text.includes('squawk-ignore'));

  it('is one of the checked migrations', () => {
    expect(migrations.length).toBeGreaterThanOrEqual(30);
  });

  it.each(leaving)('$path names the rules, and says what allows it', ({ text }) => {
    const lines = text.split('\n');
    lines.forEach((line, index) => {
      if (line.includes('squawk-ignore')) {
        expect(line).toMatch(/^-- squawk-ignore(-file)? [a-z-]+(, [a-z-]+)*$/);
        expect(lines[index - 1]).toMatch(
          /^-- .*((ahead of|before) the first release|[Uu]nused since \d+\.\d+|[Tt]he table is small: .{20}|No row matches the index yet: .{20})/,
        );
      }
    });
  });
});
