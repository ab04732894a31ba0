import { useEffect, useEffectEvent } from 'react';
import { api } from './client.ts';
import { addressWithAccount } from './shown-user.ts';

const reconnectMs = 3_000;

/**
 * Follows the server-sent events at an address of the API as long as it is given one, and hands on the content of each
 * event with the name. The browser connects again by itself where the connection breaks; where the server refused it, this
 * does.
 */
export function useServerEvents<Content>(
  path: string | undefined,
  name: string,
  onEvent: (content: Content) => void,
): void {
  const tell = useEffectEvent(onEvent);
  useEffect(() => {
    if (path === undefined) return;
    const address = addressWithAccount(path);
    let source: EventSource | undefined;
    let again: ReturnType<typeof setTimeout> | undefined;
    function connect(): void {
      source = new EventSource(address);
      source.addEventListener(name, event => tell(JSON.parse(event.data) as Content));
      source.addEventListener('error', () => {
        if (source?.readyState !== EventSource.CLOSED) return;
        // A page cannot read why a stream was refused. Where it was for the session, this answer says so.
        api.GET('/session').catch(() => {});
        again = setTimeout(connect, reconnectMs);
      });
    }
    connect();
    return () => {
      clearTimeout(again);
      source?.close();
    };
  }, [path, name]);
}
