import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { isMap, parseDocument } from 'yaml';
import { projectRoot } from './project-root.ts';

const help = `Usage: pnpm release check <tag>
       pnpm release notes <tag>
       pnpm release chart <tag> --out <folder> --url <URL> [--registry <name>] [--repository <path>] [--digests <file>]

Prepares a release from its tag, such as v0.2.0.

  check    whether package.json, the chart and the changelog have the version of the tag
  notes    prints the section of the changelog
  chart    writes a copy of the chart for publication: with the address of the project, the changes, and the published
           images in its values

  --url <URL>          the web page of the repository
  --registry <name>    the registry that has the images
  --repository <path>  their path in it (mailproof)
  --digests <file>     lines "<image> sha256:…", one for each image of the chart
  --root <folder>      the checkout to read (this one)
  --help               print this

Exit code: 0 if it was done; 1 if the versions differ or something is missing; 2 for wrong usage.
`;

class ReleaseFault extends Error {}

process.exitCode = main();

function main(): number {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        out: { type: 'string' },
        url: { type: 'string' },
        registry: { type: 'string', default: '' },
        repository: { type: 'string', default: 'mailproof' },
        digests: { type: 'string' },
        root: { type: 'string', default: projectRoot },
        help: { type: 'boolean', short: 'h' },
      },
    });
    if (values.help) {
      process.stdout.write(help);
      return 0;
    }
    const [task, tag, ...rest] = positionals;
    const version = /^v(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)$/.exec(tag ?? '')?.[1];
    if (rest.length > 0 || version === undefined || !['check', 'notes', 'chart'].includes(task ?? '')) {
      return complain('Name a task and a tag, such as: pnpm release check v0.2.0', 2);
    }
    const root = resolve(values.root);
    checkVersions(root, version);
    if (task === 'notes') {
      process.stdout.write(`${notesOf(root, version)}\n`);
    } else if (task === 'chart') {
      const { out, url } = values;
      if (out === undefined || url === undefined || !URL.canParse(url)) {
        return complain('pnpm release chart needs --out and --url.', 2);
      }
      const digests =
        values.digests === undefined ? {} : digestsIn(root, readFileSync(values.digests, 'utf8'));
      writeChart(root, { ...values, out: resolve(out), url: url.replace(/\/$/, ''), version, digests });
    } else {
      console.log(`release: ${version} is the version of package.json, the chart and the changelog`);
    }
    return 0;
  } catch (error) {
    if (error instanceof ReleaseFault) return complain(error.message, 1);
    if ((error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS')) {
      return complain(`${(error as Error).message}\npnpm release --help lists the options.`, 2);
    }
    throw error;
  }
}

function complain(text: string, exitCode: number): number {
  console.error(text);
  return exitCode;
}

function checkVersions(root: string, version: string): void {
  const chart = parseDocument(readFileSync(join(root, 'helm/mailproof/Chart.yaml'), 'utf8'));
  const found = {
    'package.json': JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version,
    'version in helm/mailproof/Chart.yaml': chart.get('version'),
    'appVersion in helm/mailproof/Chart.yaml': chart.get('appVersion'),
  };
  const others = Object.entries(found).filter(([, each]) => each !== version);
  if (others.length > 0) {
    const list = others.map(([where, each]) => `${where} has ${each}`).join('; ');
    throw new ReleaseFault(`The tag is of version ${version}, but ${list}.`);
  }
  notesOf(root, version);
}

/** The section of a version in the changelog, without its heading. */
function notesOf(root: string, version: string): string {
  const sections = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split(/^(?=## )/m);
  const section = sections.find(each => {
    const [, name, date] = /^## (\S+) - (\S+)$/m.exec(each) ?? [];
    return name === version && /^\d{4}-\d{2}-\d{2}$/.test(date ?? '');
  });
  const notes = section?.split('\n').slice(1).join('\n').trim() ?? '';
  if (notes === '') {
    throw new ReleaseFault(`CHANGELOG.md has no section "## ${version} - YYYY-MM-DD" with text.`);
  }
  return notes;
}

/** The images of the chart: each service, and the migrations. */
function imagesOf(root: string): string[] {
  const script = readFileSync(join(root, 'deploy/build-images.sh'), 'utf8');
  const names = /^names='(.+)'$/m.exec(script)?.[1]?.split(' ') ?? [];
  return names.filter(name => name !== 'mail-lab');
}

function digestsIn(root: string, text: string): Record<string, string> {
  const lines = text.split('\n').filter(line => line.trim() !== '');
  const digests: Record<string, string> = {};
  for (const line of lines) {
    const [, name, digest] = /^(\S+) (sha256:[0-9a-f]{64})$/.exec(line) ?? [];
    if (name === undefined || digest === undefined) {
      throw new ReleaseFault(`"${line}" is not the name of an image and its digest.`);
    }
    digests[name] = digest;
  }
  const missing = imagesOf(root).filter(name => digests[name] === undefined);
  if (missing.length > 0) {
    throw new ReleaseFault(`There is no digest of: ${missing.join(', ')}.`);
  }
  return digests;
}

interface ChartOptions {
  readonly out: string;
  readonly url: string;
  readonly version: string;
  readonly registry: string;
  readonly repository: string;
  readonly digests: Readonly<Record<string, string>>;
}

function writeChart(root: string, { out, url, version, registry, repository, digests }: ChartOptions): void {
  if (existsSync(out)) {
    throw new ReleaseFault(`${out} exists; name a new folder.`);
  }
  // Links lead to files that a package would not have.
  cpSync(join(root, 'helm/mailproof'), out, { recursive: true, dereference: true });
  const images = imagesOf(root);
  const place = [registry, repository].filter(part => part !== '').join('/');
  const reference = (name: string) =>
    `${place}/${name}:${version}${digests[name] === undefined ? '' : `@${digests[name]}`}`;
  edit(join(out, 'Chart.yaml'), {
    home: url,
    sources: [url],
    icon: `${url}/raw/v${version}/packages/web-app/public/mark.svg`,
    'annotations/artifacthub.io~1changes': changesOf(notesOf(root, version)),
    'annotations/artifacthub.io~1images': images
      .map(name => `- name: ${name}\n  image: ${reference(name)}\n`)
      .join(''),
    'annotations/artifacthub.io~1prerelease': String(version.includes('-')),
  });
  edit(join(out, 'values.yaml'), {
    'image/registry': registry,
    'image/repository': repository,
    'image/digests': Object.fromEntries(Object.entries(digests).filter(([name]) => images.includes(name))),
  });
  console.log(`release: wrote the chart ${basename(out)} of ${version}, with images in ${place}`);
}

/** Sets values of a YAML file by their paths, and keeps its comments. In a path, `~1` means `/`. */
function edit(file: string, values: Readonly<Record<string, unknown>>): void {
  const document = parseDocument(readFileSync(file, 'utf8'));
  if (!isMap(document.contents)) throw new Error(`${file} is not a map.`);
  for (const [path, value] of Object.entries(values)) {
    document.setIn(
      path.split('/').map(part => part.replaceAll('~1', '/')),
      value,
    );
  }
  writeFileSync(file, document.toString({ lineWidth: 0 }));
}

/** The entries of a changelog as Artifact Hub lists them: a YAML list of kinds and descriptions. */
function changesOf(notes: string): string {
  const kinds: Readonly<Record<string, string>> = {
    Added: 'added',
    Changed: 'changed',
    Deprecated: 'deprecated',
    Removed: 'removed',
    Fixed: 'fixed',
    Security: 'security',
  };
  let kind = 'changed';
  const changes = notes.split('\n').flatMap(line => {
    kind = kinds[/^### (\w+)/.exec(line)?.[1] ?? ''] ?? kind;
    const description = /^- (.+)$/.exec(line)?.[1];
    return description === undefined
      ? []
      : [`- kind: ${kind}\n  description: ${JSON.stringify(description)}\n`];
  });
  return changes.join('');
}
