import { existsSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What a first visit may load of script, as it travels. */
export const firstLoadBytesMax = 250_000;

interface Chunk {
  readonly file: string;
  readonly src?: string;
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
}

type Manifest = Readonly<Record<string, Chunk>>;

/** What the first visit of a screen loads: the start of the application and the screen's own part. */
export interface FirstLoad {
  readonly screen: string;
  readonly files: readonly string[];
  readonly bytes: number;
}

const dist = fileURLToPath(new URL('../dist/', import.meta.url));

/**
 * The first load of each screen of the built application, by what its manifest says is imported.
 *
 * @throws Error where the application has not been built
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
    return { screen, files, bytes: files.reduce((sum, file) => sum + travelling(file), 0) };
  });
}

/** The scripts of a chunk and of all that it imports before it can begin. */
function filesOf(manifest: Manifest, key: string, seen = new Set<string>()): string[] {
  const chunk = manifest[key];
  if (!chunk || seen.has(key)) return [];
  seen.add(key);
  const imported = (chunk.imports ?? []).flatMap(each => filesOf(manifest, each, seen));
  return [chunk.file, ...imported].filter(file => file.endsWith('.js'));
}

/** Small files are not worth compressing, and travel as they are. */
function travelling(file: string): number {
  const compressed = `${dist}${file}.br`;
  return statSync(existsSync(compressed) ? compressed : `${dist}${file}`).size;
}
