import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { freeMailDomains } from '@mailproof/shared-types/free-mail';
import { judgeList } from '../domain/lists/judge-list.ts';
import { listKinds } from '../domain/lists/list-kinds.ts';
import { ordinaryDomains, relayDomains, roleNames } from '../domain/lists/own-names.ts';
import { providerTable } from '../domain/providers/find-provider.ts';
import { emailTypeOf, isDisposable, isRelay } from '../domain/verdict/describe.ts';
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
    ['europa.eu', 'government'],
    ['canada.ca', 'government'],
    ['admin.ch', 'government'],
    ['gov.br', 'government'],
    ['notgov.br', 'business'],
    ['plus.net', 'personal'],
    ['hotmail.com.ar', 'personal'],
    ['sas.ac', 'business'],
    ['sony.com', 'business'],
    ['gov.example', 'business'],
    ['ordinary.example', 'business'],
    ['notmailinator.com.example', 'business'],
    ['tutanota.com', 'personal'],
    ['yandex.fr', 'personal'],
    ['sympatico.ca', 'personal'],
    // On two collected lists.
    ['tempm.com', 'disposable'],
    // Listed as disposable by a packaged list.
    ['21cn.com', 'personal'],
    ['craigslist.org', 'business'],
    ['angi.com', 'business'],
    ['ddns.net', 'business'],
    ['anybody.ddns.net', 'disposable'],
    // Below a public suffix that a packaged list marks as disposable with all names below it.
    ['company.my.id', 'business'],
    ['mozmail.com', 'personal'],
    ['anonaddy.com', 'personal'],
  ])('make %s %s', (domain, emailType) => {
    expect(emailTypeOf(domain, lists)).toBe(emailType);
  });

  test.each([
    ['mailinator.com', true],
    ['anything.33mail.com', true],
    // Only on the collected lists.
    ['safe-mail.net', true],
    ['temp-mail.io', true],
    ['anonaddy.com', false],
    ['nus.edu.sg', false],
    ['gmail.com', false],
    ['ordinary.example', false],
  ])('say of %s whether it is disposable: %s', (domain, disposable) => {
    expect(isDisposable(domain, lists)).toBe(disposable);
  });

  test('leave the type of a domain that is suspected only: safe-mail.net keeps mail for years', () => {
    expect(emailTypeOf('safe-mail.net', lists)).toBe('personal');
  });

  test('know every free mail service that we add, and call no mistaken name disposable', () => {
    expect(freeMailDomains.filter(domain => emailTypeOf(domain, lists) !== 'personal')).toEqual([]);
    expect([...ordinaryDomains].filter(domain => isDisposable(domain, lists))).toEqual([]);
    expect([...relayDomains].filter(domain => isDisposable(domain, lists))).toEqual([]);
  });

  test('leave out no name of ours that they have already', () => {
    const listed = (domain: string) =>
      [lists.disposable, lists.agreed, lists.suspected].some(list => list.has(domain)) ||
      domain.split('.').some((_, from, labels) => lists.disposableParents.has(labels.slice(from).join('.')));
    expect([...ordinaryDomains].filter(domain => !listed(domain))).toEqual([]);
  });

  test.each([
    ['mozmail.com', true],
    ['ada.mozmail.com', true],
    ['privaterelay.appleid.com', true],
    ['slmail.me', true],
    ['appleid.com', false],
    ['notmozmail.com', false],
    ['mailinator.com', false],
  ])('say of %s whether it passes mail on: %s', (domain, relay) => {
    expect(isRelay(domain)).toBe(relay);
  });

  test.each([
    ['mail.wabblywabble.com', true],
    ['mx.mailinator.com', true],
    ['mx.ordinary.example', false],
    ['aspmx.l.google.com', false],
    ['mail.anonaddy.me', false],
    ['mail.tutanota.de', false],
    ['mx.ddns.net', false],
  ])('suspect a domain whose mail host is %s: %s', (mxHost, suspected) => {
    expect(isDisposable('new.example', lists, mxHost)).toBe(suspected);
    expect(emailTypeOf('new.example', lists)).toBe('business');
  });

  test.each([
    ['mx.tempm.com', 'disposable'],
    ['route1.mx.cloudflare.net', 'disposable'],
    ['aspmx.l.google.com', 'business'],
    ['mxa-00000.gslb.pphosted.com', 'business'],
  ])(
    'believe of a domain whose mail host is %s that it is %s, where only collections say so',
    (mxHost, type) => {
      expect(emailTypeOf('tempm.com', lists, mxHost)).toBe(type);
      expect(isDisposable('tempm.com', lists, mxHost)).toBe(true);
      expect(emailTypeOf('mailinator.com', lists, mxHost)).toBe('disposable');
    },
  );

  test('suspect no domain for a provider of the table', () => {
    const hosts = providerTable.flatMap(([, entries]) => entries.flatMap(({ suffixes }) => suffixes));
    expect(hosts.filter(host => !host.includes('*') && isDisposable('new.example', lists, host))).toEqual([]);
  });

  test.each(['dpo', 'gdpr', 'datenschutz', 'bewerbung', 'info'])('know %s as a function', name => {
    expect(loadRoles().has(name)).toBe(true);
  });

  test('know every function that we add', () => {
    const roles = loadRoles();
    expect(roleNames.filter(name => !roles.has(name))).toEqual([]);
  });

  test('would pass the checks of refreshed ones', () => {
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
    expect(['thrown.example', 'mailinator.com'].map(lists.disposable.has)).toEqual([true, false]);
    expect(['mailinator.com', 'thrown.example'].map(lists.suspected.has)).toEqual([true, false]);
    expect(lists.personal.has('gmail.com')).toBe(true);
    expect(loadRoles(dir)).toEqual(new Set(['treasurer']));
    expect(await readdir(dir)).toEqual(['disposable.txt', 'roles.txt']);
  });

  test('also counts for what two lists agree on', async () => {
    await writeList(dir, 'suspected', new Set(['tempm.com', 'new.example']), 'For a test.');
    const lists = loadDomainLists(dir);
    const names = ['tempm.com', 'new.example', 'mailinator.com'];
    expect(names.map(lists.suspected.has)).toEqual([true, true, false]);
    expect(names.map(lists.agreed.has)).toEqual([true, false, false]);
  });

  test.each([
    ['is spoilt', 'good.example\n<html>\n', /disposable\.txt is not a valid list of domains: see line 2/],
    ['is empty', '# nothing\n', /disposable\.txt is not a valid list of domains, because it is empty/],
  ])('stops the start where a list %s, and is mended all the same', async (_name, text, message) => {
    await writeFile(join(dir, 'disposable.txt'), text);
    expect(() => loadDomainLists(dir)).toThrow(message);
    expect(listInUse('disposable', dir).has('mailinator.com')).toBe(true);
  });

  test('stops the start where it is missing', () => {
    expect(() => loadDomainLists(join(dir, 'elsewhere'))).toThrow(/VALIDATION_LISTS_DIR is not a folder/);
  });

  test('is left as it was where a list cannot be put into it', async () => {
    // A folder occupies the path of the file, so that the last step fails.
    await writeList(join(dir, 'disposable.txt'), 'roles', new Set(['info']), 'For a test.');
    await expect(writeList(dir, 'disposable', new Set(['a.example']), 'For a test.')).rejects.toThrow(
      /EISDIR|ENOTEMPTY|EEXIST/,
    );
    expect(await readdir(dir)).toEqual(['disposable.txt']);
  });
});
