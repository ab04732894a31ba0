import { execFile, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { waitFor } from '../src/deadline.ts';
import { type PackageSource, packagesObstacle } from '../src/debian-packages.ts';
import { projectRoot } from '../src/project-root.ts';
import { findSystemProgram } from '../src/system-program.ts';
import { unpackProgram } from '../src/unpacked-program.ts';

const execute = promisify(execFile);
const greeter = { name: 'mailproof-greeter', program: 'usr/bin/greeter' };

describe('a machine without the programs of Debian', () => {
  const path = process.env['PATH'];
  afterEach(() => {
    process.env['PATH'] = path;
  });

  test('gets the advice of the program that it lacks', async () => {
    process.env['PATH'] = '/nowhere';
    const greeterOfTheMachine = {
      title: 'The greeter',
      names: ['greeter'],
      debian: greeter,
      brewPackage: 'greeter',
      advice: 'Install a greeter.',
    };
    await expect(findSystemProgram(greeterOfTheMachine, { report: () => undefined })).rejects.toThrow(
      /^Install a greeter\.$/,
    );
    expect(packagesObstacle(['chroot'])).toMatch(
      /no apt-get, dpkg-deb, flock, ldd, setpriv, chroot|not run Linux/,
    );
  });
});

/** On other systems there is nothing to unpack, and the test above covers the message. */
if (!packagesObstacle()) {
  describe('a program of packages', () => {
    let scratch = '';
    let archive: Archive;
    let source: PackageSource & { readonly lines: string[] };
    beforeAll(async () => {
      scratch = await mkdtemp(join(tmpdir(), 'mailproof-packages-'));
      archive = await openArchive(join(scratch, 'archive'));
    });
    afterAll(async () => {
      await archive.close();
      await rm(scratch, { recursive: true, force: true });
    });
    beforeEach(async () => {
      await archive.publish('1');
      const lines: string[] = [];
      const folder = await mkdtemp(join(scratch, 'cache with spaces '));
      source = { folder, sourceList: archive.sourceList, report: line => lines.push(line), lines };
    });

    test('runs with the libraries that its packages bring, is not installed, and is fetched once', async () => {
      const program = await unpackProgram(greeter, source);
      expect((await execute(program, ['--version'])).stdout).toMatch(/bash/);
      const bare = spawnSync(join(dirname(program), greeter.program), ['--version'], { encoding: 'utf8' });
      expect(bare.stderr).toContain(`${archive.library}: cannot open shared object file`);
      expect(spawnSync('dpkg-query', ['-W', greeter.name]).status).not.toBe(0);
      archive.requests.length = 0;
      expect(await unpackProgram(greeter, source)).toBe(program);
      expect(archive.requests).toEqual([]);
      // The packages themselves are no longer needed.
      expect((await readdir(source.folder)).filter(name => name.startsWith(greeter.name))).toEqual([
        basename(dirname(program)),
      ]);
    });

    test('is fetched by one of two commands, for which the other one waits', async () => {
      archive.requests.length = 0;
      const [one, other] = await Promise.all([
        unpackProgram(greeter, source),
        unpackProgram(greeter, source),
      ]);
      expect(one).toBe(other);
      expect(
        archive.requests
          .filter(url => url.endsWith('.deb'))
          .map(url => basename(url))
          .sort(),
      ).toEqual(['mailproof-greeter_1_all.deb', 'mailproof-words_1_all.deb']);
      expect(source.lines).toContain('Another command is downloading packages; waiting for it.');
    });

    test('finds fonts in its packages, if these contain the font configuration', async () => {
      const program = await unpackProgram(greeter, source);
      const { stdout } = await execute(program, ['-c', 'echo "$FONTCONFIG_FILE" && cat "$FONTCONFIG_FILE"']);
      expect(stdout).toContain(`${dirname(program)}/fonts.conf`);
      expect(stdout).toContain('<dir prefix="relative">usr/share/fonts</dir>');
    });

    test('is whole or not there: a download that ends early leaves nothing that is taken for it', async () => {
      archive.cutsOff = true;
      await expect(unpackProgram(greeter, source)).rejects.toThrow(/^apt-get download failed: /);
      archive.cutsOff = false;
      const program = await unpackProgram(greeter, source);
      expect((await execute(program, ['--version'])).stdout).toMatch(/bash/);
    });

    test('is unpacked again if an earlier command was killed while unpacking', async () => {
      const tree = dirname(await unpackProgram(greeter, source));
      await rm(tree, { recursive: true });
      await mkdir(`${tree}.unfinished/usr/bin`, { recursive: true });
      await writeFile(join(`${tree}.unfinished`, basename(greeter.program)), 'half a file');
      await writeFile(join(`${tree}.unfinished`, 'left'), '');
      await mkdir(`${tree}.packages`);
      await writeFile(join(`${tree}.packages`, 'mailproof-words_1_all.deb'), 'half a file');
      const program = await unpackProgram(greeter, source);
      expect((await execute(program, ['--version'])).stdout).toMatch(/bash/);
      expect(await readdir(tree)).not.toContain('left');
    });

    test('is fetched by the next command after one that was killed while it read the lists', async () => {
      archive.stalls = true;
      archive.requests.length = 0;
      const { folder, sourceList } = source;
      const command = `
        import { unpackProgram } from ${JSON.stringify(join(projectRoot, 'packages/dev-house/src/unpacked-program.ts'))};
        const source = { ...${JSON.stringify({ folder, sourceList })}, report: () => undefined };
        await unpackProgram(${JSON.stringify(greeter)}, source);`;
      const killed = spawn(process.execPath, ['--input-type=module', '--eval', command], {
        env: { PATH: process.env['PATH'] },
        stdio: 'ignore',
      });
      await waitFor('The lists are asked for', () => archive.requests.length > 0, {
        deadlineMs: 20_000,
      });
      killed.kill('SIGKILL');
      await once(killed, 'close');
      archive.stalls = false;
      const program = await unpackProgram(greeter, source);
      expect((await execute(program, ['--version'])).stdout).toMatch(/bash/);
    });

    test('is found although the archive has dropped what the lists of an earlier command name', async () => {
      await rm(dirname(await unpackProgram(greeter, source)), { recursive: true });
      await archive.publish('2');
      await unpackProgram(greeter, source);
      expect(source.lines.at(-1)).toMatch(/^Unpacked mailproof-greeter 2 into .* Nothing is installed\.$/);
    });

    test('cannot be fetched without the archive, and the error says what failed', async () => {
      const sourceList = join(scratch, 'nowhere.list');
      await writeFile(sourceList, 'deb [trusted=yes] file:/nowhere-at-all ./\n');
      await expect(unpackProgram(greeter, { ...source, sourceList })).rejects.toThrow(
        /^apt-get update failed: .*nowhere-at-all[\s\S]*\napt-get install failed: E: Unable to locate package mailproof-greeter/,
      );
    });

    test('is rejected if a package does not contain it', async () => {
      await expect(unpackProgram({ ...greeter, program: 'usr/bin/other' }, source)).rejects.toThrow(
        'the package mailproof-greeter does not contain usr/bin/other',
      );
    });

    test('ends its work when the command is stopped', async () => {
      await expect(unpackProgram(greeter, { ...source, signal: AbortSignal.abort() })).rejects.toThrow(
        /abort/,
      );
    });
  });
}

interface Archive {
  readonly sourceList: string;
  /** The program's library that this machine lacks. */
  readonly library: string;
  readonly requests: string[];
  /** Whether packages are cut off in the middle. */
  cutsOff: boolean;
  /** Whether requests get no answer. */
  stalls: boolean;
  /** Offers the packages only in this version. */
  publish(version: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens an archive on loopback with a program and the package that it depends on. The program is Bash, changed to need
 * one of its libraries under a name that no machine has. The other package contains that library in a folder where no
 * loader looks.
 */
async function openArchive(folder: string): Promise<Archive> {
  const bash = '/bin/bash';
  const { stdout } = await execute('ldd', [bash]);
  const [, known = '', libraryPath = ''] = /^\s*(lib(?!c\.)\S+) => (\S+)/m.exec(stdout) ?? [];
  const library = known.replace('lib', 'lab');
  const files = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    const url = request.url ?? '';
    archive.requests.push(url);
    if (archive.stalls) return;
    const file = files.get(basename(url));
    if (!file) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-length': file.length });
    if (!archive.cutsOff || !url.endsWith('.deb')) return void response.end(file);
    response.write(file.subarray(0, file.length / 2), () => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  await mkdir(folder, { recursive: true });
  const archive: Archive = {
    sourceList: join(folder, 'sources.list'),
    library,
    requests: [],
    cutsOff: false,
    stalls: false,
    async publish(version) {
      files.clear();
      const program = Buffer.from(readFileSync(bash).toString('latin1').replaceAll(known, library), 'latin1');
      const words = {
        [`usr/lib/odd/place/${library}`]: await readFile(libraryPath),
        'etc/fonts/fonts.conf': Buffer.from('<fontconfig/>'),
      };
      const built = [
        await build(folder, { name: 'mailproof-words', version }, words),
        await build(
          folder,
          { name: greeter.name, version, depends: `mailproof-words (= ${version})` },
          { [greeter.program]: program },
        ),
      ];
      for (const { path, content } of built) files.set(basename(path), content);
      files.set('Packages', Buffer.from(built.map(({ entry }) => entry).join('\n')));
    },
    close: () => closeServer(server),
  };
  await writeFile(
    archive.sourceList,
    `deb [trusted=yes] http://127.0.0.1:${(server.address() as AddressInfo).port}/ ./\n`,
  );
  return archive;
}

async function build(
  folder: string,
  { name, version, depends }: { readonly name: string; readonly version: string; readonly depends?: string },
  files: Readonly<Record<string, Buffer>>,
): Promise<{ readonly path: string; readonly content: Buffer; readonly entry: string }> {
  const tree = await mkdtemp(join(folder, `${name}-`));
  const path = join(folder, `${name}_${version}_all.deb`);
  const control = [
    `Package: ${name}`,
    `Version: ${version}`,
    'Architecture: all',
    'Maintainer: tests <tests@mailproof.example>',
    'Description: for a test',
    ...(depends ? [`Depends: ${depends}`] : []),
  ].join('\n');
  await mkdir(join(tree, 'DEBIAN'), { mode: 0o755 });
  await writeFile(join(tree, 'DEBIAN/control'), `${control}\n`);
  for (const [file, content] of Object.entries(files)) {
    await mkdir(dirname(join(tree, file)), { recursive: true });
    writeFileSync(join(tree, file), content, { mode: 0o755 });
  }
  await execute('dpkg-deb', ['--root-owner-group', '-Znone', '--build', tree, path]);
  const content = await readFile(path);
  const sha256 = createHash('sha256').update(content).digest('hex');
  const entry = `${control}\nFilename: ./${basename(path)}\nSize: ${content.length}\nSHA256: ${sha256}\n`;
  return { path, content, entry };
}

async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}
