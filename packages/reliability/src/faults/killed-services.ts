import { serviceNames } from '../ground.ts';
import type { Fault } from './fault.ts';

/** Each service is ended without warning, and started again, as Kubernetes starts a container again. */
export const killedServices: readonly Fault[] = serviceNames.map(name => ({
  name: `kill-${name}`,
  title: `${name} killed −9`,
  async strike(ground) {
    await ground.service(name).kill('SIGKILL');
    await ground.service(name).restart();
  },
}));
