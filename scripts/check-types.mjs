import { execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/**
 * Checks all types in parallel, in three programs: everything that runs on Node, the web application, and its tests.
 * The Node code is one program so that the contracts are not rechecked for every package that imports them. This fails
 * unless every TypeScript file of the workspace was examined, so that no package's tests or benchmarks are missed.
 */
const programs = ['tsconfig.json', 'packages/web-app/tsconfig.json', 'packages/web-app/tsconfig.node.json'];
const root = fileURLToPath(new URL('..', import.meta.url));
/** TypeScript 7 takes a third of the CPU time of 5.9, which the tools that import a compiler still need (ADR 0010). */
const compiler = join(root, 'packages/dev-house/node_modules/typescript-native/bin/tsc');

const sources = execFileSync(
  'git',
  [
    ...['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', '--'],
    ...['packages/**/*.ts', 'packages/**/*.tsx', 'services/**/*.ts', 'services/**/*.tsx'],
  ],
  { cwd: root, encoding: 'utf8' },
)
  .split('\n')
  .filter(path => path !== '');

const answers = await Promise.all(programs.map(check));
const examined = new Set(answers.flatMap(({ files }) => files));
const missed = sources.filter(path => !examined.has(path));

for (const { complaints } of answers) if (complaints) console.error(complaints);
for (const path of missed) console.error(`not examined: ${path}`);
if (sources.length === 0) console.error('No source file was found to examine.');
console.log(`types: ${sources.length - missed.length} of ${sources.length} files examined`);
process.exitCode =
  sources.length === 0 || missed.length > 0 || answers.some(({ code }) => code !== 0) ? 1 : 0;

/** Lets the compiler skip files that have not changed since the last check, except in continuous integration. */
function remembering(program) {
  if (process.env.CI) return [];
  return [
    '--incremental',
    '--tsBuildInfoFile',
    `node_modules/.cache/types/${program.replaceAll('/', '-')}.tsbuildinfo`,
  ];
}

/** Returns the compiler's errors, and which of our files it read, relative to the root. */
async function check(program) {
  // More checkers finish sooner on idle processors, but each examines again what they have in common.
  const options = ['--checkers', '1', '--listFiles', '--pretty', ...remembering(program)];
  const child = spawn(process.execPath, [compiler, '-p', program, ...options], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, code] = await Promise.all([
    text(child.stdout),
    new Promise((resolve, reject) => child.once('error', reject).once('exit', resolve)),
  ]);
  const lines = output.split('\n');
  const isFile = line => line.startsWith(root);
  return {
    code,
    files: lines.filter(isFile).map(line => line.slice(root.length)),
    complaints: lines
      .filter(line => !isFile(line) && !/^\/.*\.(d\.)?[cm]?[jt]sx?$/.test(line))
      .join('\n')
      .trim(),
  };
}
