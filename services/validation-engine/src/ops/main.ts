import { exitCodeOf } from '@mailproof/service-kit/operator-command';
import { createProgram } from './program.ts';

process.exitCode = await exitCodeOf(() => createProgram(process.env).parseAsync(process.argv));
