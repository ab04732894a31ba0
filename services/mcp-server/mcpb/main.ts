import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { strToU8, type Zippable, zipSync } from 'fflate';
import { rolldown } from 'rolldown';

const require = createRequire(import.meta.url);
const here = (path: string) => new URL(path, import.meta.url);

/** Fixed, so that the same contents produce the same file. */
const mtime = '1980-01-02T00:00:00';

const file = process.argv[2] ?? fileURLToPath(here('../dist/mailproof.mcpb'));
const bundle = await buildBundle();
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, bundle);
process.stdout.write(`${file}: ${Math.ceil(bundle.byteLength / 1_024)} KiB. Open it with Claude Desktop.\n`);

/**
 * Builds the bundle for Claude Desktop (MCPB manifest 0.3): the manifest, `mcp-remote` as one file without
 * dependencies, the icon and the licenses of everything in it.
 */
async function buildBundle(): Promise<Uint8Array> {
  const bridge = await bundleBridge();
  const files: Zippable = {
    'manifest.json': readFileSync(here('./manifest.json')),
    'icon.png': readFileSync(here('../src/pages/mark.png')),
    'server/index.mjs': strToU8(bridge.code),
    LICENSE: readFileSync(here('../../../LICENSE')),
    'THIRD-PARTY.txt': strToU8(licensesOf(bridge.moduleIds)),
  };
  return zipSync(files, { level: 9, mtime });
}

async function bundleBridge(): Promise<{ code: string; moduleIds: readonly string[] }> {
  const input = join(dirname(require.resolve('mcp-remote/package.json')), 'dist/proxy.js');
  const build = await rolldown({ input, platform: 'node', logLevel: 'warn' });
  try {
    const { output } = await build.generate({ format: 'esm', codeSplitting: false });
    const [chunk, ...others] = output;
    const external = chunk.imports.filter(name => !isBuiltin(name));
    if (others.length > 0 || external.length > 0) {
      throw new Error(`The bridge is not one file: ${[...others.map(each => each.fileName), ...external]}`);
    }
    return { code: chunk.code, moduleIds: chunk.moduleIds };
  } finally {
    await build.close();
  }
}

/** The licenses of all bundled packages. Throws if a package has none. */
function licensesOf(moduleIds: readonly string[]): string {
  const folders = new Set(
    moduleIds.flatMap(id => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id)?.[0] ?? []),
  );
  return [...folders]
    .sort()
    .map(folder => {
      const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const [file] = globSync('{LICENSE,LICENCE,license}*', { cwd: folder });
      if (file === undefined && manifest.license === undefined) {
        throw new Error(`${manifest.name} names no license.`);
      }
      const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim();
      return `${manifest.name} ${manifest.version} (${manifest.license})\n\n${text}\n`;
    })
    .join(`\n${'-'.repeat(72)}\n\n`);
}
