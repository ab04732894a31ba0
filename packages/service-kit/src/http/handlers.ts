import {
  type Access,
  type ForwardedOperation,
  forwarded,
  type Operation,
  type Operations,
  operations,
  type ServiceName,
} from '@mailproof/shared-types';
import { type Guard, type Handler, type Route, route } from './route.ts';

type AccessKind = Access['kind'];

/** What a service's guards learn about a caller, by the operation's kind of access. */
type Callers = { readonly [Kind in AccessKind]?: unknown };

/** An operation as its service mounts it: forwarded requests arrive through the internal twin (ADR 0028). */
type Mounted<Op extends Operation> = Op['answeredBy'] extends 'gateway'
  ? Op
  : Op['access']['kind'] extends 'session'
    ? ForwardedOperation<Op>
    : Op;

type MountedHandler<Op extends Operation, By extends Callers> = Handler<
  Op,
  By[Op['access']['kind'] & keyof By]
>;

/** A handler for each operation that the table assigns to a service. A missing handler is a compile error. */
export type Handlers<Service extends ServiceName, By extends Callers = { readonly service: ServiceName }> = {
  readonly [Name in keyof Operations as Operations[Name]['answeredBy'] extends Service
    ? Name
    : never]: MountedHandler<Mounted<Operations[Name]>, By>;
};

/** Creates an operation's guard, by kind of access. */
export type Guards<By extends Callers> = {
  readonly [Kind in keyof By]: (operation: Operation) => Guard<By[Kind]>;
};

/** Changes to contracts by a service's settings. */
type Changes = { readonly [Name in keyof Operations]?: Pick<Operation, 'bodySilentMsMax'> };

/** Mounts the handlers of a service, in the order of the table of operations. */
export function mountHandlers<Service extends ServiceName, By extends Callers>(
  service: Service,
  guards: Guards<By>,
  handlers: Handlers<Service, By>,
  changes: Changes = {},
): Route[] {
  return Object.entries<Operation>(operations)
    .filter(([, { answeredBy }]) => answeredBy === service)
    .map(([name, operation]) => {
      const isForwarded = service !== 'gateway' && operation.access.kind === 'session';
      const mounted = {
        ...(isForwarded ? forwarded(operation) : operation),
        ...changes[name as keyof Operations],
      };
      const guardOf = guards[mounted.access.kind as keyof By];
      const handler = handlers[name as keyof typeof handlers] as Handler<Operation, unknown>;
      return route(mounted, guardOf(mounted), handler);
    });
}
