/** The signals that a process exports. */
export interface Signals {
  readonly traces: boolean;
  /** `served`: Prometheus fetches them. `pushed`: they are sent to the address in the environment. */
  readonly metrics: 'served' | 'pushed' | 'none';
}

/**
 * Reads the requested signals from the standard variables. The SDK sends to `localhost` by default; we send nothing
 * unless an address or an exporter is set.
 *
 * @throws Error if metrics are to be both served and pushed
 */
export function signalsOf(environment: NodeJS.ProcessEnv): Signals {
  if (environment['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') {
    return { traces: false, metrics: 'none' };
  }
  const isWanted = (signal: 'TRACES' | 'METRICS') => {
    const exporters = exportersOf(environment[`OTEL_${signal}_EXPORTER`]);
    return exporters.length > 0
      ? !exporters.includes('none')
      : Boolean(
          environment['OTEL_EXPORTER_OTLP_ENDPOINT'] || environment[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`],
        );
  };
  return {
    traces: isWanted('TRACES'),
    metrics: isWanted('METRICS') ? wayOf(exportersOf(environment['OTEL_METRICS_EXPORTER'])) : 'none',
  };
}

function wayOf(exporters: readonly string[]): 'served' | 'pushed' {
  if (!exporters.includes('prometheus')) {
    return 'pushed';
  }
  if (exporters.length > 1) {
    throw new Error('OTEL_METRICS_EXPORTER: prometheus stands alone, metrics are either served or pushed.');
  }
  return 'served';
}

function exportersOf(list = ''): string[] {
  return list
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '');
}
