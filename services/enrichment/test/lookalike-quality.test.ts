import { describe, expect, it } from '@jest/globals';
import { measureCalibration } from '../bench/lookalike/measure-calibration.ts';
import { measureQuality, modelOf } from '../bench/lookalike/measure-quality.ts';
import { reliabilityPlot } from '../bench/lookalike/reliability-plot.ts';
import { judge, textOf } from '../bench/lookalike/report.ts';
import { inventedCompanies } from '../src/domain/lookalike/testing/invented-companies.ts';

describe('the quality of lookalikes on invented companies', () => {
  const companies = inventedCompanies(480, 16, { strayShare: 0.5 });
  const model = modelOf(companies);

  it('keeps every bound that the benchmark has', () => {
    const report = {
      quality: measureQuality(companies, model, 150),
      calibration: measureCalibration(companies, model),
      speed: null,
      vectors: null,
    };
    const findings = judge(report);
    expect(findings.length).toBeGreaterThanOrEqual(8);
    expect(findings.filter(({ kept }) => !kept)).toEqual([]);
    expect(textOf(report, findings)).toContain('precision@10');
    expect(reliabilityPlot(report.calibration?.reliability ?? [])).toMatch(/^<svg .*<\/svg>\n$/s);
  });
});
