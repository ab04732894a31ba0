import type { MailServerKind } from '@mailproof/dev-house';
import { labSettings, startEngine, type TestEngine } from '../engine-in-lab.ts';
import { type MailSite, openMailSite, type SitePlan } from './mail-site.ts';
import { openServerRoot, type ServerRoot } from './server-root.ts';

/** Real servers of one kind, the DNS that leads to them, and an engine that reaches nothing else. */
export interface Scene {
  readonly engine: TestEngine;
  readonly site: MailSite;
  readonly root: ServerRoot;
  close(): Promise<void>;
}

export interface ScenePlan extends SitePlan {
  readonly kind: MailServerKind;
  /** Settings of the engine in addition to those that lead it to the site. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Starts the servers. */
  readonly start: (root: ServerRoot, site: MailSite) => Promise<unknown>;
}

/** Builds the scene. If a part fails, everything already started is stopped. */
export async function openScene(plan: ScenePlan): Promise<Scene> {
  const opened: (() => Promise<unknown>)[] = [];
  async function close(): Promise<void> {
    for (const stop of opened.splice(0).reverse()) await stop();
  }
  try {
    const site = await openMailSite(plan);
    opened.push(() => site.close());
    const root = await openServerRoot(plan.kind);
    opened.push(() => root.close());
    // Servers query the site's name server, like the engine, and never the machine's.
    root.write('etc/resolv.conf', `nameserver ${site.nameServer}\noptions timeout:2 attempts:1\n`);
    await plan.start(root, site);
    const engine = await startEngine({ ...labSettings(site.lab), ...plan.settings });
    opened.push(() => engine.stop());
    return { engine, site, root, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Creates two domains per name at one host: one that knows its recipients, and a catch-all. */
export function hostsOfBoth(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap(name => [
      [`${name}.example`, `mx.${name}.example`],
      [`${name}-everybody.example`, `mx.${name}.example`],
    ]),
  );
}
