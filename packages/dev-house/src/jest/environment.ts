import type { EnvironmentContext, JestEnvironmentConfig } from '@jest/environment';
import { ModernFakeTimers } from '@jest/fake-timers';
import type { Circus } from '@jest/types';
import { ModuleMocker } from 'jest-mock';

/**
 * Runs a test file in the worker's own realm, without a VM context, so that modules load once for all files (ADR 0062).
 */
// biome-ignore lint/style/noDefaultExport: Jest expects an environment as the default export.
export default class ProcessEnvironment {
  readonly global = globalThis;
  readonly moduleMocker = new ModuleMocker(globalThis);
  readonly fakeTimers = null;
  readonly fakeTimersModern: ModernFakeTimers;

  constructor({ projectConfig }: JestEnvironmentConfig, _context: EnvironmentContext) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup(): Promise<void> {}

  async teardown(): Promise<void> {
    this.moduleMocker.restoreAllMocks();
    this.fakeTimersModern.dispose();
  }

  /** How long `beforeAll` and `afterAll` took, in milliseconds. */
  setUpMs = 0;
  #hookBeganAt = 0;

  handleTestEvent(event: Circus.Event): void {
    if (!('hook' in event) || !event.hook.type.endsWith('All')) return;
    if (event.name === 'hook_start') this.#hookBeganAt = performance.now();
    else if (event.name === 'hook_success' || event.name === 'hook_failure') {
      this.setUpMs += performance.now() - this.#hookBeganAt;
    }
  }

  getVmContext(): null {
    return null;
  }
}
