import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { readLabeledCompanies } from './labeled-companies.ts';
import { measureCalibration } from './measure-calibration.ts';
import { measureQuality, modelOf } from './measure-quality.ts';
import { inventedModel, measureSpeed } from './measure-speed.ts';
import { measureVectors } from './measure-vectors.ts';
import { readOptions } from './options.ts';
import { reliabilityPlot } from './reliability-plot.ts';
import { judge, type Report, textOf } from './report.ts';

const options = readOptions(process.argv.slice(2));
const tell = (line: string) => void process.stderr.write(`${line}\n`);
try {
  process.exitCode = await bench();
} catch (error) {
  tell((error as Error).message);
  process.exitCode = 1;
}

async function bench(): Promise<number> {
  const onCompanies = await benchQuality(options.companiesCsv);
  const speed = options.speed ? measureSpeed(options.companies, options.questions, tell) : null;
  const vectors = await benchVectors(options.pgvectorUrl);
  const report: Report = { ...onCompanies, speed, vectors };
  const findings = judge(report);
  process.stdout.write(
    options.json ? `${JSON.stringify({ ...report, findings })}\n` : textOf(report, findings),
  );
  return options.check && findings.some(({ kept }) => !kept) ? 1 : 0;
}

async function benchVectors(serverUrl: string | undefined): Promise<Report['vectors']> {
  if (serverUrl === undefined) {
    tell('Vectors in Postgres: skipped, MAILPROOF_PGVECTOR_URL names no server with pgvector.');
    return null;
  }
  const built = inventedModel(options.companies);
  tell('model built');
  return measureVectors(serverUrl, built, options.questions, tell);
}

async function benchQuality(path: string | undefined): Promise<Pick<Report, 'quality' | 'calibration'>> {
  if (path === undefined || !existsSync(path)) {
    tell(
      'Quality and calibration: skipped, MAILPROOF_COMPANIES_CSV names no file of companies with industries.',
    );
    return { quality: null, calibration: null };
  }
  const companies = await readLabeledCompanies(path);
  tell(`${companies.length} companies read`);
  const model = modelOf(companies);
  tell('model built');
  const quality = measureQuality(companies, model, options.seeds);
  const calibration = measureCalibration(companies, model);
  if (options.plot !== undefined && calibration !== null) {
    await writeFile(options.plot, reliabilityPlot(calibration.reliability));
  }
  return { quality, calibration };
}
