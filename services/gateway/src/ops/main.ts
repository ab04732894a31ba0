import { ConfigError } from '@mailproof/service-kit';
import { OperatorError } from './command-parts.ts';
import { createProgram } from './program.ts';

try {
  await createProgram(process.env).parseAsync(process.argv);
} catch (error) {
  const expected = error instanceof ConfigError || error instanceof OperatorError;
  process.stderr.write(
    `${expected ? error.message : error instanceof Error ? error.stack : String(error)}\n`,
  );
  process.exitCode = 1;
}
