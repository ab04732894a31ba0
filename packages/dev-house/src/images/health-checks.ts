/** The health check of a running container. */
export interface HealthCheck {
  /** The container's id. */
  readonly id: string;
  readonly intervalMs: number;
}

interface InspectedContainer {
  readonly Id: string;
  readonly State?: { readonly Running?: boolean };
  readonly Config?: {
    readonly Healthcheck?: { readonly Test?: readonly string[]; readonly Interval?: number };
  };
}

/** The interval of a check that names none, in milliseconds (https://docs.docker.com/reference/dockerfile/#healthcheck). */
const defaultIntervalMs = 30_000;

/** Returns the health checks in what `podman container inspect` prints; containers without one and stopped ones have none. */
export function healthChecks(inspected: string): HealthCheck[] {
  return (JSON.parse(inspected) as InspectedContainer[]).flatMap(({ Id: id, State, Config }) => {
    const { Test: [kind = 'NONE'] = [], Interval: nanoseconds = 0 } = Config?.Healthcheck ?? {};
    if (!State?.Running || kind === 'NONE') return [];
    return [{ id, intervalMs: nanoseconds > 0 ? nanoseconds / 1_000_000 : defaultIntervalMs }];
  });
}
