import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { type CollectionResult, DataPointType, type MetricData } from '@opentelemetry/sdk-metrics';

/** How Prometheus spells the units that are in use here. */
const unitNames: Readonly<Record<string, string>> = { s: 'seconds', ms: 'milliseconds', By: 'bytes' };

/**
 * Serves metrics to Prometheus under the names that a collector gives them: with their unit, as OpenTelemetry's
 * compatibility rules for Prometheus have it. The library leaves the unit out, so that every dashboard and alert would
 * have to be written twice.
 */
export class PrometheusReader extends PrometheusExporter {
  override async collect(...options: Parameters<PrometheusExporter['collect']>): Promise<CollectionResult> {
    const { resourceMetrics, errors } = await super.collect(...options);
    const scopeMetrics = resourceMetrics.scopeMetrics.map(({ scope, metrics }) => ({
      scope,
      metrics: metrics.map(withUnit),
    }));
    return { resourceMetrics: { ...resourceMetrics, scopeMetrics }, errors };
  }
}

function withUnit(metric: MetricData): MetricData {
  const { name, unit } = metric.descriptor;
  const isShare = unit === '1' && metric.dataPointType === DataPointType.GAUGE;
  const suffix = unitNames[unit] ?? (isShare ? 'ratio' : undefined);
  return suffix === undefined || name.split(/[._]/).includes(suffix)
    ? metric
    : { ...metric, descriptor: { ...metric.descriptor, name: `${name}.${suffix}` } };
}
