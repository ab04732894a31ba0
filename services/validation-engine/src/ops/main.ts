import { exitCodeOf } from '@mailproof/service-kit';
import { createProgram } from './program.ts';

process.exitCode = await exitCodeOf(() => createProgram(process.env).parseAsync(process.argv));
