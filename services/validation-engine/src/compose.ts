import {
  createHealth,
  createLogger,
  createServiceApp,
  createServiceGuard,
  type Service,
} from '@mailproof/service-kit';
import { validateAddress as validateAddressOperation } from '@mailproof/shared-types';
import { loadDomainLists } from './adapters/domain-lists.ts';
import { createResolverDns } from './adapters/resolver-dns.ts';
import { createTcpConnector } from './adapters/smtp/tcp-connector.ts';
import type { Config } from './config.ts';
import { createAddressGuard } from './domain/address-guard.ts';
import { createAdmission } from './domain/admission.ts';
import { type ValidationPorts, validateAddress } from './domain/validate-address.ts';
import { createEvents } from './events.ts';
import { validateAddressRoute } from './http/validate-address.ts';

/** Builds the service from its settings; tests may put ports of their own in place of some. */
export function compose(config: Config, overrides: Partial<ValidationPorts> = {}): Service {
  const logger = createLogger({ service: 'validation-engine', level: config.LOG_LEVEL });
  const health = createHealth({});
  const ports: ValidationPorts = {
    dns: createResolverDns(config.VALIDATION_DNS_SERVERS),
    connector: createTcpConnector(config.VALIDATION_SMTP_PORT),
    guard: createAddressGuard(config.VALIDATION_ALLOWED_PRIVATE_RANGES),
    clock: { nowMs: () => performance.now() },
    random: Math.random,
    domainLists: loadDomainLists(),
    ...overrides,
  };
  const identity = { mailFrom: config.VALIDATION_MAIL_FROM, heloName: config.VALIDATION_HELO_NAME };
  const guardOf = createServiceGuard('validation-engine', config.SERVICE_PEER_KEYS);
  return {
    logger,
    health,
    app: createServiceApp({
      logger,
      health,
      problemTypeBase: 'urn:mailproof:problem:',
      routes: [
        validateAddressRoute(
          guardOf(validateAddressOperation),
          (email, deadlineMs, signal) =>
            validateAddress(
              ports,
              identity,
              email,
              Math.min(deadlineMs, config.VALIDATION_DEADLINE_MS),
              signal,
            ),
          createAdmission(config.VALIDATION_IN_FLIGHT_MAX),
          createEvents(logger),
        ),
      ],
    }),
    // Nothing outlives a request: every validation has ended when the last answer has been sent.
    stop: async () => undefined,
  };
}
