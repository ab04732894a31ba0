import type { FairTurns } from '@mailproof/service-kit';

/** What the handlers of this service share: work in steps, each of which is written down when it is done. */
export interface StepOptions<Ports> {
  readonly ports: Ports;
  /** Turns that go round the accounts. */
  readonly turns: FairTurns;
  /** Whether an error says that something is away, rather than wrong. */
  readonly isAway: (error: unknown) => boolean;
  /** Aborted when the service stops: what is left then goes on in another process. */
  readonly stopping: AbortSignal;
}

/** `more`: there is something left to do. `waits`: somebody else goes on with it, at its time. */
type Step = () => Promise<'more' | 'waits' | 'ended'>;

/**
 * Takes step after step until there is nothing left, or something has to be waited for, and answers which of the two. A
 * step that fails is noted, with whether something was away, and thrown, so that the job comes again.
 */
export async function takeSteps(
  step: Step,
  noteFault: (isAway: boolean) => Promise<void>,
  { isAway, stopping }: Pick<StepOptions<unknown>, 'isAway' | 'stopping'>,
): Promise<'waits' | 'ended'> {
  for (;;) {
    if (stopping.aborted) {
      throw new Error('The service is stopping; the job goes on elsewhere.');
    }
    try {
      const advance = await step();
      if (advance !== 'more') {
        return advance;
      }
    } catch (error) {
      // What was broken off by our own stopping is no fault of anything.
      if (!stopping.aborted) {
        await noteFault(isAway(error));
      }
      throw error;
    }
  }
}
