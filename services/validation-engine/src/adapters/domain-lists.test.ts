import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { judgeList } from '../domain/lists/judge-list.ts';
import { listKinds } from '../domain/lists/list-kinds.ts';
import { emailTypeOf, isDisposable } from '../domain/verdict/email-type.ts';
import { listInUse, loadDomainLists, loadRoles } from './domain-lists.ts';
import { writeList } from './list-folder.ts';

describe('the kept lists', () => {
  const lists = loadDomainLists();

  test.each([
    ['gmail.com', 'personal'],
    ['web.de', 'personal'],
    ['mailinator.com', 'disposable'],
    ['anything.33mail.com', 'disposable'],
    ['stanford.edu', 'education'],
    ['cs.ox.ac.uk', 'education'],
    ['unimelb.edu.au', 'education'],
    ['nasa.gov', 'government'],
    ['hmrc.gov.uk', 'government'],
    ['army.mil', 'government'],
    ['interieur.gouv.fr', 'government'],
    ['meti.go.jp', 'government'],
    ['ec.europa.eu', 'government'],
    ['sas.ac', 'business'],
    ['sony.com', 'business'],
    ['gov.example', 'business'],
    ['ordinary.example', 'business'],
    ['notmailinator.com.example', 'business'],
  ])('make %s %s', (domain, emailType) => {
    expect(emailTypeOf(domain, lists)).toBe(emailType);
  });

  test.each([
    ['mailinator.com', true],
    ['anything.33mail.com', true],
    // On the collected list alone.
    ['safe-mail.net', true],
    ['gmail.com', false],
    ['ordinary.example', false],
  ])('say of %s whether it is disposable: %s', (domain, disposable) => {
    expect(isDisposable(domain, lists)).toBe(disposable);
  });

  test('leave the type of a domain that is suspected only: safe-mail.net keeps mail for years', () => {
    expect(emailTypeOf('safe-mail.net', lists)).toBe('personal');
  });

  test('would pass the judgement on refreshed ones', () => {
    for (const kind of listKinds) {
      const names = listInUse(kind.id, '/nonexistent');
      expect(judgeList(kind, names, { names, faults: [] }, false)).toEqual({
        accepted: true,
        change: { added: 0, removed: 0 },
      });
    }
  });
});

describe('a folder of refreshed lists', () => {
  let dir: string;

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'mailproof-lists-'));
  });

  afterEach(async () => {
    await rm(dir, { recursive: true });
  });

  test('takes the place of the packaged lists, one by one', async () => {
    await writeList(dir, 'disposable', new Set(['thrown.example']), 'For a test.');
    await writeList(dir, 'roles', new Set(['treasurer']), 'For a test.');
    const lists = loadDomainLists(dir);
    expect(lists.disposable).toEqual(new Set(['thrown.example']));
    expect(lists.suspected.size).toBeGreaterThan(10_000);
    expect(lists.personal.has('gmail.com')).toBe(true);
    expect(loadRoles(dir)).toEqual(new Set(['treasurer']));
    expect(await readdir(dir)).toEqual(['disposable.txt', 'roles.txt']);
  });

  test.each([
    ['is spoilt', 'good.example\n<html>\n', /disposable\.txt is no list of domains: see line 2/],
    ['is empty', '# nothing\n', /disposable\.txt is no list of domains, since it holds none/],
  ])('stops the start where a list %s, and is mended all the same', async (_name, text, message) => {
    await writeFile(join(dir, 'disposable.txt'), text);
    expect(() => loadDomainLists(dir)).toThrow(message);
    expect(listInUse('disposable', dir).has('mailinator.com')).toBe(true);
  });

  test('stops the start where it is missing', () => {
    expect(() => loadDomainLists(join(dir, 'elsewhere'))).toThrow(/VALIDATION_LISTS_DIR names no folder/);
  });

  test('is left as it was where a list cannot be put into it', async () => {
    // A folder stands where the file would go, so that the last step fails.
    await writeList(join(dir, 'disposable.txt'), 'roles', new Set(['info']), 'For a test.');
    await expect(writeList(dir, 'disposable', new Set(['a.example']), 'For a test.')).rejects.toThrow(
      /EISDIR|ENOTEMPTY|EEXIST/,
    );
    expect(await readdir(dir)).toEqual(['disposable.txt']);
  });
});
