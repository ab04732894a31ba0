import { runInstallation, type TrialSettings } from '../trial/inside.ts';
import { startCluster } from './cluster.ts';
import { imageArchive } from './images.ts';
import { install } from './installation.ts';
import type { Programs } from './programs.ts';
import { trials } from './trials.ts';

export interface Settings extends TrialSettings {
  readonly programs: Programs;
}

await runInstallation(trials, async ({ programs, folder }: Settings, report) => {
  const cluster = await startCluster(programs, folder, imageArchive, report);
  const installation = await install(cluster, programs);
  report('Chart installed.');
  return {
    context: { cluster, installation, report },
    faults: () => cluster.policyErrors().map(error => `Policies: ${error}`),
  };
});
