import { execFileSync } from 'node:child_process';
import { cruise } from 'dependency-cruiser';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import config from '../.dependency-cruiser.mjs';

/**
 * Checks the allowed dependencies between modules. The tool once read nothing and passed, so this fails unless every
 * TypeScript file of the workspace was examined.
 */
const sources = execFileSync('git', [
  'ls-files',
  '--cached',
  '--others',
  '--exclude-standard',
  '--',
  'packages/**/*.ts',
  'packages/**/*.tsx',
  'services/**/*.ts',
])
  .toString()
  .split('\n')
  .filter(path => path !== '');

const { output } = await cruise(
  ['packages', 'services'],
  { ...config.options, ruleSet: { forbidden: config.forbidden }, validate: true },
  {},
  { tsConfig: extractTSConfig('tsconfig.base.json') },
);

const examined = new Set(output.modules.map(module => module.source));
const missed = sources.filter(path => !examined.has(path));
const { violations } = output.summary;

for (const { rule, from, to } of violations) {
  console.error(`${rule.name}: ${from} → ${to}`);
}
for (const path of missed) {
  console.error(`not examined: ${path}`);
}
if (sources.length === 0) {
  console.error('No source file was found to examine.');
}
console.log(
  `arrows: ${sources.length - missed.length} of ${sources.length} files examined, ${violations.length} violations`,
);
process.exitCode = sources.length === 0 || missed.length > 0 || violations.length > 0 ? 1 : 0;
