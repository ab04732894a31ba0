/** Checks a dependency: resolves if it can serve, rejects with the reason if it cannot. */
export type HealthCheck = () => Promise<void>;

/** A condition that the operator should know about, but that does not keep the service from serving. */
export interface Advisory {
  readonly name: string;
  readonly status: 'ok' | 'warning' | 'failed' | 'cannot_tell';
  /** The observation, in words. */
  readonly text: string;
  /** The time of the observation, in ISO 8601. */
  readonly seenAt: string;
}

export interface HealthReport {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, 'ok' | 'failed' | 'starting' | 'stopping'>>;
  /** Absent if the service has no advisories. */
  readonly advisories?: readonly Advisory[];
}

/**
 * The readiness of this process: whether it should get requests now. Liveness never depends on other services or
 * stores.
 */
export interface Health {
  report(): Promise<HealthReport>;
  /** True between `markStarting` and `markStarted`, while the service must not handle operations (ADR 0060). */
  isStarting(): boolean;
  /** Makes the service report that it is starting, regardless of its dependencies, and for which one it waits. */
  markStarting(waitingFor?: string): void;
  /** Marks the service as started: from now on, its dependencies determine its readiness. */
  markStarted(): void;
  /** Makes the service report that it is not ready, so that callers go elsewhere while it stops. */
  markStopping(): void;
}

const checkTimeoutMs = 2_000;
/** Minimum time between two runs of the checks, in milliseconds, for any number of clients. */
const rememberedMs = 1_000;

/**
 * Concurrent requests share a report, which is cached for a second: anyone may request readiness, and each report
 * queries the stores. `advise` returns known advisories without further checks.
 */
export function createHealth(
  checks: Readonly<Record<string, HealthCheck>>,
  advise: () => readonly Advisory[] = () => [],
  nowMs: () => number = () => performance.now(),
): Health {
  let phase: 'starting' | 'started' | 'stopping' = 'started';
  let waitingFor: string | undefined;
  let known:
    | { readonly report: Promise<HealthReport>; readonly madeAtMs: number; isDone: boolean }
    | undefined;

  async function makeReport(): Promise<HealthReport> {
    const results = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => [name, await outcomeOf(check)] as const),
    );
    const advisories = advise();
    return {
      ready: results.every(([, outcome]) => outcome === 'ok'),
      checks: Object.fromEntries(results),
      ...(advisories.length > 0 && { advisories }),
    };
  }

  function remembered(): Promise<HealthReport> {
    if (known === undefined || (known.isDone && nowMs() - known.madeAtMs >= rememberedMs)) {
      const made = { report: makeReport(), madeAtMs: nowMs(), isDone: false };
      const done = () => {
        made.isDone = true;
      };
      made.report.then(done, done);
      known = made;
    }
    return known.report;
  }

  function starting(): HealthReport['checks'] {
    return { service: 'starting', ...(waitingFor !== undefined && { [waitingFor]: 'failed' }) };
  }

  return {
    async report() {
      const report = phase === 'started' ? await remembered() : undefined;
      // The phase can change during the checks.
      return report === undefined || phase !== 'started'
        ? { ready: false, checks: phase === 'starting' ? starting() : { service: 'stopping' } }
        : report;
    },
    isStarting: () => phase === 'starting',
    markStarting(dependency) {
      phase = 'starting';
      waitingFor = dependency;
    },
    markStarted() {
      phase = 'started';
    },
    markStopping() {
      phase = 'stopping';
    },
  };
}

async function outcomeOf(check: HealthCheck): Promise<'ok' | 'failed'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the check took too long')), checkTimeoutMs);
  });
  try {
    await Promise.race([check(), late]);
    return 'ok';
  } catch {
    return 'failed';
  } finally {
    clearTimeout(timer);
  }
}
