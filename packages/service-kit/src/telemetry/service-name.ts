import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The service's name for telemetry: that of the package which the entry belongs to, without its scope. Undefined where
 * the environment names it, which the SDK reads itself, and where there is no package.
 */
export function serviceNameOf(environment: NodeJS.ProcessEnv, entry: string | undefined): string | undefined {
  const isNamed =
    environment['OTEL_SERVICE_NAME'] || environment['OTEL_RESOURCE_ATTRIBUTES']?.includes('service.name=');
  return isNamed || entry === undefined ? undefined : packageNameAbove(dirname(entry));
}

function packageNameAbove(folder: string): string | undefined {
  try {
    const { name } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name?: string };
    if (name !== undefined) {
      return name.replace(/^@[^/]+\//, '');
    }
  } catch {
    // No package here; one above will do.
  }
  const above = dirname(folder);
  return above === folder ? undefined : packageNameAbove(above);
}
