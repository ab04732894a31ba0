#!/usr/bin/env node
import { runCommandLine } from './program.ts';

const interruption = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    // A second signal exits at once.
    if (interruption.signal.aborted) process.exit(130);
    interruption.abort();
  });
}
// The reader may have exited, as with `head`; the failed write is reported to the writer.
process.stdout.on('error', () => undefined);

process.exitCode = await runCommandLine(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  environment: process.env,
  // A package manager runs scripts in the root of the project, and stores the user's directory here.
  workingDirectory: process.env['INIT_CWD'] ?? process.cwd(),
  signal: interruption.signal,
});
