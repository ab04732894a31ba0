import { ConfigError } from '@mailproof/service-kit';
import { createProgram } from './program.ts';

try {
  process.exitCode = await createProgram(process.env)(process.argv);
} catch (error) {
  process.stderr.write(
    `${error instanceof ConfigError ? error.message : error instanceof Error ? error.stack : String(error)}\n`,
  );
  process.exitCode = 1;
}
