import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../project-root.ts';
import { packN8nNode, provideN8nTools } from './n8n-node.ts';
import { packPythonSdk, providePythonTools, pythonSdkObstacle } from './python-sdk.ts';
import { packForNpm } from './typescript-sdk.ts';

/** Packs the SDKs, the command line and the nodes for n8n into `dist/sdks/`: what would be published. */
const into = join(projectRoot, 'dist/sdks');
rmSync(into, { recursive: true, force: true });
mkdirSync(into, { recursive: true });
packForNpm('sdk', into);
packForNpm('cli', into);
packN8nNode(provideN8nTools(console.log), into);
const obstacle = pythonSdkObstacle();
if (obstacle === undefined) packPythonSdk(providePythonTools(console.log), into);
else console.error(obstacle);
for (const name of readdirSync(into).sort()) console.log(`dist/sdks/${name}`);
process.exitCode = obstacle === undefined ? 0 : 1;
