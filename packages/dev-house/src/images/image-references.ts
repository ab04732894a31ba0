import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** An image of another publisher, as a file names it: `docker.io/library/redis:8.6.3-bookworm@sha256:…`. */
export interface ImageReference {
  /** As it is written. */
  readonly text: string;
  /** The registry's host, such as `docker.io`. */
  readonly registry: string;
  /** Such as `library/redis`. */
  readonly repository: string;
  readonly tag: string | undefined;
  /** Such as `sha256:…`; absent until `pnpm images:digests --write` has written it. */
  readonly digest: string | undefined;
}

/** A reference and the file, from the root of the checkout, that has it. */
export interface FoundReference extends ImageReference {
  readonly file: string;
}

/** What names images for people or programs. Generated files follow from these, and tests name images of their own. */
const files = [
  'docker-compose.yml',
  'deploy/Dockerfile',
  'deploy/**/*.sh',
  'helm/*/values.yaml',
  'helm/*/README.md',
  'helm/*/templates/**/*',
  '*.md',
  'docs/**/*.md',
  '{packages,services}/*/README.md',
  '.github/**/*.{yml,yaml}',
] as const;

/** Every image stands with its registry, because engines complete a bare name each in their own way. */
const registries = [
  'docker.io',
  'ghcr.io',
  'quay.io',
  'gcr.io',
  'registry.k8s.io',
  'mcr.microsoft.com',
  'public.ecr.aws',
];

const reference = new RegExp(
  `(?<![\\w./-])(${registries.map(host => host.replaceAll('.', '\\.')).join('|')})/([a-z0-9._/-]*[a-z0-9])(?::(\\w(?:[\\w.-]*\\w)?))?(?:@(sha256:[0-9a-f]{64}))?`,
  'g',
);

/** The references in a text, in their order. */
export function referencesIn(text: string): ImageReference[] {
  return [...text.matchAll(reference)].map(([whole, registry = '', repository = '', tag, digest]) => ({
    text: whole,
    registry,
    repository,
    tag,
    digest,
  }));
}

/** All references in the files of a checkout. */
export function findReferences(root: string): FoundReference[] {
  return globSync([...files], { cwd: root, exclude: path => path.includes('node_modules') })
    .sort()
    .flatMap(file => {
      const text = readTextFile(join(root, file));
      return referencesIn(text).map(found => ({ ...found, file }));
    });
}

/** A directory that a pattern matches holds no reference of its own. */
function readTextFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EISDIR') return '';
    throw error;
  }
}

/** Releases of these have two numbers, not three. */
const twoNumbers: readonly string[] = ['library/postgres'];

/** Whether the tag names one release, so that it means the same tomorrow but for rebuilds of its base. */
export function isExact({ repository, tag }: ImageReference): boolean {
  const form = twoNumbers.includes(repository) ? /^\d+\.\d+(-[\w.-]+)?$/ : /^v?\d+\.\d+\.\d+(-[\w.-]+)?$/;
  return tag !== undefined && form.test(tag);
}

/** `name:tag`, which stays the same whatever the digest is. */
export function withoutDigest({ registry, repository, tag }: ImageReference): string {
  return `${registry}/${repository}${tag === undefined ? '' : `:${tag}`}`;
}
