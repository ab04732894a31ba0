import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { projectRoot } from '../project-root.ts';
import {
  type FoundReference,
  findReferences,
  isExact,
  referencesIn,
  withoutDigest,
} from './image-references.ts';
import { digestOf, ImageFault, NotAsked, registryBase } from './registry.ts';

const help = `Usage: pnpm images:digests --check | --write

Resolves the tags of all third-party images at their registries: those in docker-compose.yml, deploy/Dockerfile, the chart
and the docs.

  --check            reports images without a digest, and tags that point to a different digest
  --write            writes the digest after each tag, name:tag@sha256:…; then run pnpm chart:golden
  --registry <url>   uses this registry for all images: a mirror, or http:// on this machine
  --timeout <s>      timeout per request (10)
  --root <folder>    the checkout to read and write (this one)
  --help             print this

Exit code: 0 if all digests match or were written; 1 if an image has no digest, a different digest or an unknown tag; 2 if a
registry could not be reached. Nothing is written unless the exit code is 0.
`;

const exitCodes = { faults: 1, notAsked: 2 } as const;

process.exitCode = await main();

async function main(): Promise<number> {
  const options = readOptions();
  if (typeof options === 'number') return options;
  const found = findReferences(options.root);
  const faults = found
    .filter(reference => !isExact(reference))
    .map(({ file, text }) => `${file}: the tag of ${text} is not an exact version.`);
  if (found.length === 0) faults.push(`No images found in ${options.root}.`);
  if (faults.length > 0) return complain(faults, exitCodes.faults);
  const asked = await askForAll(found, options);
  if ('complaints' in asked) return complain(asked.complaints, asked.exitCode);
  return options.isWriting ? write(options.root, found, asked.digests) : check(found, asked.digests);
}

interface Options {
  readonly isWriting: boolean;
  readonly registry?: string;
  readonly timeoutMs: number;
  readonly root: string;
}

function readOptions(): Options | number {
  try {
    const { values } = parseArgs({
      options: {
        check: { type: 'boolean' },
        write: { type: 'boolean' },
        registry: { type: 'string' },
        timeout: { type: 'string', default: '10' },
        root: { type: 'string', default: projectRoot },
        help: { type: 'boolean', short: 'h' },
      },
    });
    if (values.help) {
      process.stdout.write(help);
      return 0;
    }
    if (values.check === values.write) throw new Error('Use either --check or --write.');
    const seconds = Number(values.timeout);
    if (!(seconds > 0 && seconds <= 600)) throw new Error('--timeout must be between 0 and 600 seconds.');
    if (values.registry !== undefined) registryBase(values.registry);
    return {
      isWriting: values.write ?? false,
      ...(values.registry !== undefined && { registry: values.registry }),
      timeoutMs: seconds * 1_000,
      root: resolve(values.root),
    };
  } catch (error) {
    return complain(
      [(error as Error).message, 'pnpm images:digests --help lists the options.'],
      exitCodes.faults,
    );
  }
}

function complain(lines: readonly string[], exitCode: number): number {
  for (const line of lines) console.error(line);
  return exitCode;
}

type Asked =
  | { readonly digests: ReadonlyMap<string, string> }
  | { readonly complaints: readonly string[]; readonly exitCode: number };

/**
 * Returns digests by name and tag. Requests each one once and sequentially, because registries limit anonymous
 * requests.
 */
async function askForAll(found: readonly FoundReference[], options: Options): Promise<Asked> {
  const digests = new Map<string, string>();
  const complaints: string[] = [];
  let isAsked = true;
  for (const reference of found) {
    const name = withoutDigest(reference);
    if (digests.has(name)) continue;
    try {
      digests.set(name, await digestOf(reference, options));
    } catch (error) {
      if (!(error instanceof ImageFault || error instanceof NotAsked)) throw error;
      digests.set(name, '');
      complaints.push(`${name}: ${error.message}`);
      isAsked &&= error instanceof ImageFault;
    }
  }
  if (complaints.length === 0) return { digests };
  if (isAsked) return { complaints, exitCode: exitCodes.faults };
  return {
    complaints: [
      ...complaints,
      'images: NOT DONE. Run it where the registries can be reached, or use a mirror: --registry=https://…',
    ],
    exitCode: exitCodes.notAsked,
  };
}

function check(found: readonly FoundReference[], digests: ReadonlyMap<string, string>): number {
  const faults = found.flatMap(reference => {
    const name = withoutDigest(reference);
    const now = digests.get(name);
    if (reference.digest === undefined) return [`${reference.file}: ${name} has no digest; it is ${now}.`];
    if (reference.digest !== now)
      return [`${reference.file}: ${name} moved from ${reference.digest} to ${now}.`];
    return [];
  });
  if (faults.length > 0)
    return complain([...faults, 'pnpm images:digests --write writes them.'], exitCodes.faults);
  console.log(
    `images: ${digests.size} images in ${new Set(found.map(({ file }) => file)).size} files, as written`,
  );
  return 0;
}

/** Writes all files completely under other names before it renames the first one. */
function write(root: string, found: readonly FoundReference[], digests: ReadonlyMap<string, string>): number {
  const files = [...new Set(found.map(({ file }) => file))];
  const unfinished = (file: string) => join(root, `${file}.unfinished`);
  try {
    for (const file of files) {
      const path = join(root, file);
      const text = withDigests(readFileSync(path, 'utf8'), digests);
      writeFileSync(unfinished(file), text, { mode: statSync(path).mode });
    }
    for (const file of files) renameSync(unfinished(file), join(root, file));
  } finally {
    for (const file of files) rmSync(unfinished(file), { force: true });
  }
  for (const [name, digest] of digests) console.log(`${name}@${digest}`);
  console.log(`images: ${digests.size} images written in ${files.length} files. Now run pnpm chart:golden.`);
  return 0;
}

function withDigests(text: string, digests: ReadonlyMap<string, string>): string {
  let rest = text;
  let written = '';
  for (const reference of referencesIn(text)) {
    const end = rest.indexOf(reference.text) + reference.text.length;
    const name = withoutDigest(reference);
    written += `${rest.slice(0, end - reference.text.length)}${name}@${digests.get(name)}`;
    rest = rest.slice(end);
  }
  return written + rest;
}
