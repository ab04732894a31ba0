import { serviceDefinitions } from '@mailproof/installation';

/**
 * The entry point of an image: it starts the service with its Node options, or another command of the part. `exec` lets
 * signals reach Node.
 */
export function runScript(part: string, has: (path: string) => boolean): string {
  const home = `/app/${part}/src`;
  const service = serviceDefinitions.find(({ name }) => part === `services/${name}`);
  if (!service) return script(`exec node ${home}/main.js "$@"`);
  const options = [...service.nodeOptions, '--import /app/packages/service-kit/src/telemetry.js'];
  const commands = [
    `  '') exec node ${options.join(' ')} ${home}/main.js ;;`,
    ...(has('src/ops/main.js') ? [`  ops) shift; exec node ${home}/ops/main.js "$@" ;;`] : []),
    ...(has('src/cli/main.js') ? [`  doctor|validate) exec node ${home}/cli/main.js "$@" ;;`] : []),
    `  *) echo "${service.name} has no command $1. Without one this image runs the service." >&2; exit 2 ;;`,
  ];
  return script(`case "\${1-}" in\n${commands.join('\n')}\nesac`);
}

function script(body: string): string {
  return `#!/bin/sh\nset -eu\n${body}\n`;
}
