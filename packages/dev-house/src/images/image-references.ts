import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A reference to a third-party image in a file: `docker.io/library/redis:8.6.3-bookworm@sha256:…`. */
export interface ImageReference {
  /** The reference as written. */
  readonly text: string;
  /** The registry's host, such as `docker.io`. */
  readonly registry: string;
  /** For example `library/redis`. */
  readonly repository: string;
  readonly tag: string | undefined;
  /** For example `sha256:…`; absent until `pnpm images:digests --write` writes it. */
  readonly digest: string | undefined;
}

/** A reference and the path of its file, from the root of the checkout. */
export interface FoundReference extends ImageReference {
  readonly file: string;
}

/** The files that name images. Generated files derive from these, and tests name their own images. */
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

/** Every image reference includes its registry, because engines resolve a bare name differently. */
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

/** Returns the references in a text, in order. */
export function referencesIn(text: string): ImageReference[] {
  return [...text.matchAll(reference)].map(([whole, registry = '', repository = '', tag, digest]) => ({
    text: whole,
    registry,
    repository,
    tag,
    digest,
  }));
}

/** Returns all references in the files of a checkout. */
export function findReferences(root: string): FoundReference[] {
  return globSync([...files], { cwd: root, exclude: path => path.includes('node_modules') })
    .sort()
    .flatMap(file => {
      const text = readTextFile(join(root, file));
      return referencesIn(text).map(found => ({ ...found, file }));
    });
}

/** Reads a file; returns an empty text for a directory that matches a pattern. */
function readTextFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EISDIR') return '';
    throw error;
  }
}

/** Images whose releases have two numbers, not three. */
const twoNumbers: readonly string[] = ['library/postgres'];

/** Whether the tag names one release, so that its meaning does not change, except for rebuilds of its base. */
export function isExact({ repository, tag }: ImageReference): boolean {
  const form = twoNumbers.includes(repository) ? /^\d+\.\d+(-[\w.-]+)?$/ : /^v?\d+\.\d+\.\d+(-[\w.-]+)?$/;
  return tag !== undefined && form.test(tag);
}

/** Returns `name:tag`, without the digest. */
export function withoutDigest({ registry, repository, tag }: ImageReference): string {
  return `${registry}/${repository}${tag === undefined ? '' : `:${tag}`}`;
}
