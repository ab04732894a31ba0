import { describe, expect, it } from '@jest/globals';
import { signalsOf } from './signals.ts';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };

describe('what is exported', () => {
  it.each([
    ['nothing by default', {}, false, 'none'],
    ['metrics alone, for Prometheus to fetch', { OTEL_METRICS_EXPORTER: 'prometheus' }, false, 'served'],
    ['both to a collector', endpoint, true, 'pushed'],
    ['traces pushed, metrics served', { ...endpoint, OTEL_METRICS_EXPORTER: 'prometheus' }, true, 'served'],
    ['traces alone', { ...endpoint, OTEL_METRICS_EXPORTER: 'none' }, true, 'none'],
    ['metrics alone, pushed', { ...endpoint, OTEL_TRACES_EXPORTER: 'none' }, false, 'pushed'],
    ['one signal to its own address', { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://x' }, true, 'none'],
    ['nothing where it is switched off', { ...endpoint, OTEL_SDK_DISABLED: 'true' }, false, 'none'],
    [
      'nothing for empty variables',
      { OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_METRICS_EXPORTER: '' },
      false,
      'none',
    ],
  ] as const)('is %s', (_, environment, traces, metrics) => {
    expect(signalsOf(environment)).toEqual({ traces, metrics });
  });

  it('is rejected if metrics would be both scraped and pushed', () => {
    expect(() => signalsOf({ OTEL_METRICS_EXPORTER: 'prometheus, otlp' })).toThrow(/either served or pushed/);
  });
});
