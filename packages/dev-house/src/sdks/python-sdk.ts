import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildRestDocument, type EventType, eventData, eventSchema } from '@mailproof/shared-types';
import { projectRoot } from '../project-root.ts';
import { providedFolder, pythonObstacle, runProgram } from '../provided-folder.ts';
import { packedReadme } from './packed-readme.ts';

/** The package's folder; `requirements.txt` there pins the tools. */
export const pythonSdkFolder = join(projectRoot, 'sdks/python');

/** Returns a sentence that says why this machine cannot pack the Python package; undefined if it can. */
export function pythonSdkObstacle(): string | undefined {
  return pythonObstacle('Packing the Python SDK', 11);
}

/** What generates, packs, installs and checks the Python package. */
export interface PythonTools {
  /** A Python that has the tools as modules. */
  readonly python: string;
  /** The pinned wheels, from which the package's dependencies are installed without a network. */
  readonly wheels: string;
}

/** Fetches the tools that an earlier run did not leave. */
export function providePythonTools(report: (line: string) => void): PythonTools {
  const folder = providedFolder({
    name: 'python',
    cache: 'sdk-tools',
    pins: pythonSdkFolder,
    files: ['requirements.txt'],
    report,
    make: made => {
      const wheels = join(made, 'wheels');
      const pip = [join(made, 'bin/python3'), '-m', 'pip', '--quiet', '--disable-pip-version-check'] as const;
      const pinned = ['--require-hashes', '--only-binary=:all:', '-r', 'requirements.txt'];
      runProgram('python3', ['-m', 'venv', made]);
      const [python, ...args] = pip;
      runProgram(python, [...args, 'download', '--dest', wheels, ...pinned], { cwd: pythonSdkFolder });
      runProgram(python, [...args, 'install', '--no-index', '--find-links', wheels, ...pinned], {
        cwd: pythonSdkFolder,
      });
    },
  });
  return { python: join(folder, 'bin/python3'), wheels: join(folder, 'wheels') };
}

/** Generates the client from the OpenAPI document, and returns the path of the wheel in the given folder. */
export function packPythonSdk({ python }: PythonTools, into: string): string {
  const scratch = mkdtempSync(join(tmpdir(), 'mailproof-python-sdk-'));
  try {
    const copy = join(scratch, 'package');
    cpSync(pythonSdkFolder, copy, { recursive: true });
    cpSync(join(projectRoot, 'LICENSE'), join(copy, 'LICENSE'));
    writeFileSync(join(copy, 'README.md'), packedReadme('sdks/python'));
    const generated = join(copy, 'src/mailproof/generated');
    const document = join(scratch, 'openapi.json');
    writeFileSync(document, JSON.stringify(documentForPython()));
    const output = runProgram(python, [
      ...['-m', 'openapi_python_client', 'generate', '--meta', 'none', '--overwrite', '--fail-on-warning'],
      ...['--path', document, '--output-path', generated, '--config', join(copy, 'generator.yaml')],
      ...['--custom-template-path', join(copy, 'templates')],
    ]);
    writeFileSync(join(generated, 'webhook_events.py'), eventsForPython());
    if (/warning/i.test(output)) throw new Error(`The generator left something out: ${output}`);
    runProgram(python, ['-m', 'build', '--no-isolation', '--wheel', '--sdist', '--outdir', into], {
      cwd: copy,
    });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  const wheel = readdirSync(into).find(name => name.endsWith('.whl'));
  if (wheel === undefined) throw new Error('No wheel was built.');
  return join(into, wheel);
}

/** The types of the events, which the generator does not look for among the webhooks of the document. */
function eventsForPython(): string {
  const events = Object.keys(eventData).map(type => ({
    type,
    model: String(eventSchema(type as EventType).meta()?.id),
  }));
  const models = events.map(({ model }) => model);
  return `"""Generated from the webhooks of the OpenAPI document of the API."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from .models import ${models.join(', ')}

WebhookEvent: TypeAlias = ${models.join(' | ')}

EVENTS: Mapping[str, Callable[[Mapping[str, Any]], WebhookEvent]] = {
${events.map(({ type, model }) => `    "${type}": ${model}.from_dict,`).join('\n')}
}
`;
}

type Described = Record<string, { schema?: object }>;

/**
 * The document of the API as the generator can use it: without refusals, which the client raises; without answers that
 * are not JSON, which it streams; and with text bodies as octets, in their first media type.
 */
function documentForPython(): object {
  const document = structuredClone(buildRestDocument({ forPrograms: true })) as unknown as {
    paths: Record<string, Record<string, { responses: object; requestBody?: { content: Described } }>>;
  };
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const good = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
      operation.responses = Object.fromEntries(good);
      if (!good.some(([, response]) => 'application/json' in response.content)) delete operations[method];
      const [type = '', first] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
      if (operation.requestBody && type !== 'application/json') {
        operation.requestBody.content = {
          [type]: { ...first, schema: { type: 'string', format: 'binary' } },
        };
      }
    }
    if (Object.keys(operations).length === 0) delete document.paths[path];
  }
  return document;
}
