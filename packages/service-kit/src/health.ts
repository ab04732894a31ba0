/** A dependency's check: resolves when it can serve, rejects with the reason when it cannot. */
export type HealthCheck = () => Promise<void>;

/** Something that whoever runs the service should know, and that does not keep it from serving. */
export interface Advisory {
  readonly name: string;
  readonly status: 'ok' | 'warning' | 'failed' | 'cannot_tell';
  /** What was seen, in words. */
  readonly text: string;
  /** When it was seen, after ISO 8601. */
  readonly seenAt: string;
}

export interface HealthReport {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, 'ok' | 'failed' | 'starting' | 'stopping'>>;
  /** Only where the service has any. */
  readonly advisories?: readonly Advisory[];
}

/** Readiness: whether this process should be sent requests now. Liveness never asks a dependency. */
export interface Health {
  report(): Promise<HealthReport>;
  /** True between `markStarting` and `markStarted`: the service must not handle operations yet (ADR 0060). */
  isStarting(): boolean;
  /** From now on the service reports that it is starting, whatever the state of its dependencies. */
  markStarting(): void;
  /** The service has started: from now on its dependencies decide. */
  markStarted(): void;
  /** From now on the service reports that it is not ready, so that callers go elsewhere while it stops. */
  markStopping(): void;
}

const checkTimeoutMs = 2_000;
/** Checks run at most once in this time, in milliseconds, however many clients ask. */
const rememberedMs = 1_000;

/**
 * A report is shared by all who ask while it is made, and remembered for a second: anyone may ask for readiness, and each
 * report asks the stores. `advise` tells at once what is known; a health report is no time to find out more.
 */
export function createHealth(
  checks: Readonly<Record<string, HealthCheck>>,
  advise: () => readonly Advisory[] = () => [],
  nowMs: () => number = () => performance.now(),
): Health {
  let phase: 'starting' | 'started' | 'stopping' = 'started';
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

  return {
    async report() {
      const report = phase === 'started' ? await remembered() : undefined;
      // The phase can change during the checks.
      return report === undefined || phase !== 'started'
        ? { ready: false, checks: { service: phase === 'starting' ? 'starting' : 'stopping' } }
        : report;
    },
    isStarting: () => phase === 'starting',
    markStarting() {
      phase = 'starting';
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
