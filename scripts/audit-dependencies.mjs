import { spawnSync } from 'node:child_process';

/**
 * Asks the registry for known vulnerabilities in the dependencies that we ship, and distinguishes three results that
 * look alike in a log: there are known vulnerabilities (exit code 1), there are none (0), and no registry could be
 * asked (2), which says nothing about the dependencies. It takes the arguments of `pnpm audit`, such as `--registry`,
 * for registries that do not support audits.
 */
const { status, signal, stdout, stderr, error } = spawnSync(
  'pnpm',
  ['audit', '--prod', '--json', ...process.argv.slice(2)],
  { encoding: 'utf8', timeout: 60_000, maxBuffer: 50_000_000 },
);
const report = reportIn(stdout);

if (!report) {
  console.error('audit: NOT DONE. Nothing is known of the dependencies, neither good nor bad.');
  console.error(stderr.trim() || (signal ? 'The registry did not answer within a minute.' : String(error)));
  console.error('Run it where the registry answers, or name one that does: --registry=https://…');
  process.exitCode = 2;
} else {
  const advisories = Object.values(report.advisories);
  for (const {
    module_name,
    severity,
    title,
    vulnerable_versions,
    patched_versions,
    url,
    findings,
  } of advisories) {
    const paths = findings.flatMap(finding => finding.paths);
    console.error(`${severity}: ${module_name} ${vulnerable_versions}: ${title} (${url})`);
    console.error(
      `  put right in ${patched_versions ?? 'no version yet'}; comes by ${paths.slice(0, 3).join(', ')}`,
    );
  }
  const examined = report.metadata.totalDependencies;
  console.log(`audit: ${examined} packages examined, ${advisories.length} advisories`);
  process.exitCode = advisories.length > 0 ? 1 : examined > 0 && status === 0 ? 0 : 2;
}

function reportIn(text) {
  try {
    const found = JSON.parse(text);
    return found.advisories && found.metadata ? found : undefined;
  } catch {
    return undefined;
  }
}
