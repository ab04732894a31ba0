import { useEffect, useEffectEvent } from 'react';
import { addressWithAccount } from './browser-session.ts';
import { api } from './client.ts';

const reconnectMs = 3_000;

/**
 * Subscribes to the server-sent events at an API path while one is given, and passes on the content of each event with
 * the given name. The browser reconnects automatically if the connection breaks. If the server refused it, this hook
 * reconnects.
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
        // A page cannot read why a stream was refused. If the session was the reason, this request reveals it.
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
