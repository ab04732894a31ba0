import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Runs promtool, which is in Debian's package `prometheus`, to check the alerts and run their tests. */
const folder = fileURLToPath(new URL('../deploy/prometheus/', import.meta.url));
const [program = 'promtool'] = process.argv.slice(2);

if (spawnSync(program, ['--version'], { stdio: 'ignore' }).error) {
  console.log('Alerts are not checked: promtool is not installed, and no argument names it.');
} else {
  for (const args of [
    ['check', 'rules', 'rules/mailproof.yaml'],
    ['test', 'rules', 'tests/mailproof.yaml'],
  ]) {
    const { status } = spawnSync(program, args, { cwd: folder, stdio: 'inherit' });
    process.exitCode ||= status ?? 1;
  }
}
