import type { Deadline } from '../deadline.ts';

/**
 * Waits for a store no longer than for everything else that is asked.
 *
 * @throws Error when the deadline is over first
 */
export async function lookUp<Found>(found: Promise<Found>, deadline: Deadline): Promise<Found> {
  let stop = () => {};
  const over = new Promise<never>((_resolve, reject) => {
    const giveUp = () => reject(new Error('The store did not answer in time.'));
    const timer = setTimeout(giveUp, deadline.remainingMs());
    deadline.signal.addEventListener('abort', giveUp, { once: true });
    stop = () => {
      clearTimeout(timer);
      deadline.signal.removeEventListener('abort', giveUp);
    };
  });
  try {
    return await Promise.race([found, over]);
  } finally {
    stop();
  }
}
