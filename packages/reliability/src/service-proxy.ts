import type { ServiceProcess } from '@mailproof/dev-house';
import { openTcpProxy, type TcpProxy, type Trouble } from './tcp-proxy.ts';

/** In front of all replicas of a service: of its internal port, and of its public one where it has one. */
export interface ServiceProxy {
  /** Leads to the `PORT` of the replicas. */
  readonly url: string;
  /** Leads peers to them; the same address where there is no public side. */
  readonly internalUrl: string;
  aimAt(replicas: readonly ServiceProcess[]): void;
  trouble(trouble?: Trouble): void;
  close(): Promise<void>;
}

export async function openServiceProxy(hasPublicSide: boolean): Promise<ServiceProxy> {
  const outer = await openTcpProxy();
  const inner = hasPublicSide ? await openTcpProxy() : outer;
  const both = new Set([outer, inner]);
  return {
    url: urlOf(outer),
    internalUrl: urlOf(inner),
    aimAt(replicas) {
      outer.aimAt(replicas.map(({ url }) => portOf(url)));
      inner.aimAt(replicas.map(({ internalUrl }) => portOf(internalUrl)));
    },
    trouble(trouble) {
      for (const proxy of both) proxy.trouble(trouble);
    },
    async close() {
      for (const proxy of both) await proxy.close();
    },
  };
}

function urlOf({ port }: TcpProxy): string {
  return `http://127.0.0.1:${port}`;
}

export function portOf(url: string): number {
  return Number(new URL(url).port);
}
