import { writeFileSync } from 'node:fs';
import { coverageOf, textOf, uncoveredFile } from './operation-coverage.ts';

const coverage = coverageOf();
writeFileSync(uncoveredFile, textOf(coverage));
for (const { operation, missing } of coverage.uncovered) {
  process.stdout.write(`${operation} lacks ${missing.join(', ')}\n`);
}
process.stdout.write(`${coverage.examined} operations examined, ${coverage.uncovered.length} lack a test.\n`);
process.exitCode = coverage.examined > 0 && coverage.uncovered.length === 0 ? 0 : 1;
