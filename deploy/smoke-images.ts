import { parseArgs } from 'node:util';
import { provideBaseImage } from './smoke/base-image.ts';
import { buildImages, nodeImage, version } from './smoke/build-images.ts';
import { succeeds } from './smoke/shell.ts';
import { tryImages } from './smoke/try-images.ts';

const usage = `Usage: pnpm images [options]

Builds every image with buildah, runs each as its own user on files that it cannot write, waits for its health check,
migrates a real Postgres twice, and validates an address of the mail lab through all of them together. Ends with a table.
It needs Linux, root, and the packages buildah and debootstrap; no engine and no registry of images. Dependencies are
installed from the npm registry.

  --no-build   try the images that are there
  --help       print this
`;

const { values } = parseArgs({ options: { 'no-build': { type: 'boolean' }, help: { type: 'boolean' } } });
if (values.help) {
  process.stdout.write(usage);
} else {
  const obstacle = skipReason();
  if (obstacle === undefined) await main();
  else {
    console.error(obstacle);
    process.exitCode = 1;
  }
}

async function main(): Promise<void> {
  if (!values['no-build']) buildImages(provideBaseImage(nodeImage()));
  console.table(await tryImages(version()));
}

function skipReason(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'This needs Linux and root: images are mounted. `sh deploy/build-images.sh` builds them with any engine.';
  for (const program of ['buildah', 'debootstrap', 'unshare'])
    if (!succeeds('sh', '-c', `command -v ${program}`))
      return `${program} is missing: apt-get install buildah debootstrap.`;
  return undefined;
}
