import { useEffect, useEffectEvent } from 'react';

interface Receiver {
  readonly hint: string;
  readonly receive: (files: readonly File[]) => void;
}

/** The receivers of the screens that are open; the latest one gets the files. */
const receivers: Receiver[] = [];
/** Files that were dropped on a screen without a receiver, until the screen for lists is open. */
let waiting: readonly File[] = [];

/**
 * Receives files that the user drops anywhere on the page while the component is mounted.
 *
 * @param hint what dropping does, shown while files are dragged over the page
 * @param takesWaiting whether it also takes files that wait; any other screen that is opened forgets them
 */
export function useDroppedFiles(hint: string, receive: Receiver['receive'], takesWaiting = false): void {
  const received = useEffectEvent(receive);
  useEffect(() => {
    const receiver: Receiver = { hint, receive: files => received(files) };
    receivers.push(receiver);
    // React's strict mode mounts twice in a row; the second time counts.
    if (takesWaiting) queueMicrotask(deliver);
    else waiting = [];
    return () => {
      receivers.splice(receivers.indexOf(receiver), 1);
    };
  }, [hint, takesWaiting]);
}

/** What dropping a file on the current screen does; undefined if the screen has no use for it. */
export function dropHint(): string | undefined {
  return receivers.at(-1)?.hint;
}

/** Passes on dropped files. Returns false if they wait for a screen that receives files. */
export function handOver(files: readonly File[]): boolean {
  waiting = files;
  return deliver();
}

function deliver(): boolean {
  const receiver = receivers.at(-1);
  if (!receiver || waiting.length === 0) return receiver !== undefined;
  const files = waiting;
  waiting = [];
  receiver.receive(files);
  return true;
}
