import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { runInstallation, type TrialSettings } from '../trial/inside.ts';
import { makeCheckout } from './checkout.ts';
import { openNetwork, startEngine } from './engine.ts';
import { provideImages } from './images.ts';
import { install } from './installation.ts';
import type { Programs } from './programs.ts';
import { trials } from './trials.ts';

export interface Settings extends TrialSettings {
  readonly programs: Programs;
  /** The reference of each image that Compose does not build, by its service. */
  readonly images: Readonly<Record<string, string>>;
}

await runInstallation(trials, async ({ programs, folder, images }: Settings, report) => {
  mkdirSync(join(folder, 'log'));
  await openNetwork(folder);
  const engine = await startEngine(programs, folder);
  Object.assign(process.env, engine.environment);
  provideImages(images);
  const checkout = makeCheckout(folder);
  report('Podman and the images of other makers are ready.');
  return { context: { checkout, installation: await install(checkout, engine, report) } };
});
