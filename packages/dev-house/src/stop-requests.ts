/**
 * Resolves with the reason when this process is asked to stop: by a signal, or by the end of the process that
 * started it. One Ctrl-C can arrive several times, from the terminal and from each process above this one,
 * so the later ones mean nothing.
 */
export function stopRequested(): Promise<string> {
  return new Promise(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve(signal));
    process.on('disconnect', () => resolve('the end of the starting process'));
  });
}
