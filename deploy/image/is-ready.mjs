// The health check of an image: exits with 0 when the service is ready according to its probe port.
const response = await fetch(`http://127.0.0.1:${process.env.INTERNAL_PORT ?? process.env.PORT}/readyz`, {
  signal: AbortSignal.timeout(4_000),
}).catch(() => undefined);
process.exitCode = response?.status === 200 ? 0 : 1;
