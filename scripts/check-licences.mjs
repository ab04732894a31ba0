import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import satisfies from 'spdx-satisfies';

/**
 * Checks that everything we ship may be distributed under our license (ADR 0049): the license of every installed
 * production dependency, direct or not, must be one of these or an expression of them. It reads the installed packages
 * and uses no network.
 */
const allowed = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  // For fonts, which keep this license in a program under any other license.
  'OFL-1.1',
  'Unicode-3.0',
  'Unlicense',
  'Zlib',
];

/** Packages under other licenses, each with the reason why it is allowed. */
const exceptions = {
  'axe-core': 'MPL-2.0: it is used as it is, in browser tests, and no service imports it',
};

const manifests = globSync('{packages,services}/*/package.json').map(path =>
  JSON.parse(readFileSync(path, 'utf8')),
);
const named = new Set(
  manifests
    .flatMap(({ dependencies = {} }) => Object.keys(dependencies))
    .filter(name => !name.startsWith('@mailproof/')),
);

const listed = execFileSync('pnpm', ['--recursive', 'licenses', 'list', '--prod', '--json'], {
  maxBuffer: 50_000_000,
  timeout: 60_000,
}).toString();
const examined = Object.values(JSON.parse(listed)).flat();
const names = new Set(examined.map(({ name }) => name));

const refused = examined.filter(({ name, license }) => !isAllowed(license) && !(name in exceptions));
const missed = [...named].filter(name => !names.has(name));
const idle = Object.keys(exceptions).filter(name => !names.has(name));

for (const { name, versions, license } of refused)
  console.error(
    `${name} ${versions.join(', ')}: ${license} is not on the list of scripts/check-licences.mjs`,
  );
for (const name of missed) console.error(`not examined: ${name}`);
for (const name of idle) console.error(`the exception for ${name} is of no use: take it away`);
if (examined.length === 0) console.error('No dependency was found to examine.');
console.log(`licences: ${examined.length} packages examined, ${refused.length} refused`);
process.exitCode = examined.length === 0 || refused.length + missed.length + idle.length > 0 ? 1 : 0;

function isAllowed(licence) {
  try {
    return satisfies(licence, allowed);
  } catch {
    // Text that is not an SPDX expression, such as "SEE LICENSE IN …", allows nothing.
    return false;
  }
}
