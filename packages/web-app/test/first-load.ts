import { existsSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The most script that a first visit may load, in compressed octets. */
export const firstLoadBytesMax = 250_000;

interface Chunk {
  readonly file: string;
  readonly src?: string;
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
}

type Manifest = Readonly<Record<string, Chunk>>;

/** What a first visit to a screen loads: the application's entry and the screen's own chunks. */
export interface FirstLoad {
  readonly screen: string;
  readonly files: readonly string[];
  readonly bytes: number;
}

const dist = fileURLToPath(new URL('../dist/', import.meta.url));

/**
 * Returns the first load of each screen of the built application, from the imports in its manifest.
 *
 * @throws Error if the application has not been built
 */
export function firstLoads(): FirstLoad[] {
  const path = `${dist}manifest.json`;
  if (!existsSync(path)) {
    throw new Error('The application has not been built: npx pnpm build');
  }
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest;
  const start = filesOf(manifest, 'index.html');
  return (manifest['index.html']?.dynamicImports ?? []).map(screen => {
    const files = [...new Set([...start, ...filesOf(manifest, screen)])];
    return { screen, files, bytes: files.reduce((sum, file) => sum + transferSize(file), 0) };
  });
}

/** Returns the scripts of a chunk and of all its static imports. */
function filesOf(manifest: Manifest, key: string, seen = new Set<string>()): string[] {
  const chunk = manifest[key];
  if (!chunk || seen.has(key)) return [];
  seen.add(key);
  const imported = (chunk.imports ?? []).flatMap(each => filesOf(manifest, each, seen));
  return [chunk.file, ...imported].filter(file => file.endsWith('.js'));
}

/** Returns the transferred size of a file; small files are sent uncompressed. */
function transferSize(file: string): number {
  const compressed = `${dist}${file}.br`;
  return statSync(existsSync(compressed) ? compressed : `${dist}${file}`).size;
}
