import { runCommandLine } from './program.ts';

const interruption = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    if (interruption.signal.aborted) {
      // Whoever asks twice does not want to wait for tidying up.
      process.exit(130);
    }
    interruption.abort();
  });
}
// Whoever read the output may have gone, as `head` does; the writer learns it from its own failed write.
process.stdout.on('error', () => undefined);

process.exitCode = await runCommandLine(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  environment: process.env,
  // A package manager runs scripts in the root of the project and keeps here where its user stands.
  workingDirectory: process.env['INIT_CWD'] ?? process.cwd(),
  signal: interruption.signal,
});
