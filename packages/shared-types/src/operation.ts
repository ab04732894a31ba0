import type { z } from 'zod';
import type { KeyScope } from './key-scopes.ts';
import type { PriceName } from './prices.ts';
import type { ProblemCode } from './problems.ts';
import type { ServiceName } from './service-name.ts';

/** Who can call an operation, and how the caller authenticates. */
export type Access =
  /** A program with an API key that has the scope. */
  | { readonly kind: 'apiKey'; readonly scope: KeyScope }
  /** A signed-in user; `owner` operations refuse members. */
  | {
      readonly kind: 'session';
      readonly role: 'member' | 'owner';
      /** The scope of the API keys that open the operation too (`withKey`), or the reason why none does. */
      readonly byKey: { readonly scope: KeyScope } | string;
    }
  /** Anyone who knows the URL: its last part is a secret (ADR 0074). */
  | { readonly kind: 'secretUrl' }
  /** Anyone; requests are rate limited per client address. */
  | { readonly kind: 'public' }
  /** A short-lived signed token of one of the named services (ADR 0004). */
  | { readonly kind: 'service'; readonly callers: readonly ServiceName[] };

/** The session cookie. Its prefix restricts it to this host, to TLS, and to the path `/` (RFC 6265bis). */
export const sessionCookie = '__Host-mailproof_session';

/** The account that a page shows. A request is refused if the session belongs to another account (ADR 0057). */
export const accountHeader = 'X-Mailproof-Account';

/** The same as a query parameter, for downloads and event streams: the browser requests them without our headers. */
export const accountParameter = 'for_account';

/** A response header of the contract. */
export interface ResponseHeader {
  readonly description: string;
  readonly type: 'integer' | 'string';
  readonly format?: 'int64';
}

/**
 * The contract of one HTTP operation. Routes, clients and the OpenAPI document are generated from it, so they cannot
 * disagree. The schemas use the types of Zod's core, because comparing the methods of each schema with those of
 * `z.ZodType` took most of the type check's time.
 */
export interface Operation<
  Params extends z.core.$ZodType = z.core.$ZodType,
  Query extends z.core.$ZodType = z.core.$ZodType,
  Body extends z.core.$ZodType = z.core.$ZodType,
  Success extends z.core.$ZodType = z.core.$ZodType,
  AnsweredBy extends ServiceName = ServiceName,
  Granted extends Access = Access,
> {
  /** The id in kebab case; the table of operations uses camel case. */
  readonly id: string;
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** Express-style path from the service's root, for example `/internal/v1/holds/:holdId`. */
  readonly path: string;
  readonly summary: string;
  /** The heading under which the reference lists the operation. */
  readonly tag?: string;
  readonly description: string;
  /**
   * The service that performs the operation. If the operation needs a session and another service answers it, the
   * gateway forwards the request to that service (`forwarded`).
   */
  readonly answeredBy: AnsweredBy;
  /** Time limit for the service to answer a forwarded request, in milliseconds; the gateway's default if omitted. */
  readonly answerMsMax?: number;
  readonly access: Granted;
  /** The price that it charges; free of charge if omitted. */
  readonly price?: PriceName;
  readonly params: Params;
  /** Query parameters; unknown ones are refused. */
  readonly query: Query;
  /** `z.undefined()` if the operation has no body. */
  readonly body: Body;
  /** Largest accepted body, in octets after decompression. */
  readonly bodyBytesMax: number;
  /**
   * Media type of a body that is not a JSON object. The handler receives the body as a stream (`streamedBody`), so that
   * the slower end sets the pace and the whole body is never in memory.
   */
  readonly bodyMediaType?: string;
  /** Other accepted media types of the body. */
  readonly otherBodyMediaTypes?: readonly string[];
  /** Other accepted forms of the body, by media type: their JSON Schema and an example, for the reference. */
  readonly otherBodyForms?: Readonly<Record<string, { readonly schema: object; readonly example?: unknown }>>;
  /** True if the operation detects the encoding of the streamed body; any `charset` is then accepted. */
  readonly bodyIsUndecoded?: true;
  /**
   * Time limit for receiving a streamed body, in milliseconds; the general request timeout if omitted. If set, a body
   * is also refused if no octet arrives for `limits.uploadSilentMsMax`, or if it is slower than the gateway's minimum
   * rate.
   */
  readonly bodyMsMax?: number;
  /** The longest pause within a streamed body, in milliseconds; `limits.uploadSilentMsMax` if omitted. */
  readonly bodySilentMsMax?: number;
  /**
   * An example of the body, shown in the reference: of a streamed body, and of a JSON body of which the schema does not
   * say alone what is accepted, such as one of two fields.
   */
  readonly bodyExample?: string | z.input<Body>;
  readonly success: {
    readonly status: 200 | 201 | 202;
    readonly description: string;
    readonly schema: Success;
    /**
     * Media type of an answer that is not a JSON object. The handler returns its text piece by piece
     * (`streamedAnswer`), and produces the next piece when the client has received the previous one.
     */
    readonly mediaType?: string;
    /** Media types that the handler can set in its place. */
    readonly otherMediaTypes?: readonly string[];
    /** An example of the answer, shown in the reference. */
    readonly example?: z.input<Success>;
    readonly headers?: Readonly<Record<string, ResponseHeader>>;
  };
  /** True if the operation is idempotent, so that a caller that lost the answer can repeat the request. */
  readonly repeatable: boolean;
  /**
   * True for operations that can charge: the caller can send an `Idempotency-Key`, under which the answer is stored, so
   * that a retry after a lost answer neither repeats the work nor charges twice (ADR 0023).
   */
  readonly takesIdempotencyKey?: true;
  /** The operation that continues the list in the answer and accepts its `next_cursor`; this operation if omitted. */
  readonly beginsList?: string;
  /** True if a test key opens the operation too; it then works in the sandbox (ADR 0069, ADR 0073). */
  readonly sandbox?: true;
  /** Problems in addition to `commonProblems`, which every operation can return. */
  readonly problems: readonly ProblemCode[];
}

/** The media types that a body can have; the first one is meant if a client does not say. */
export function bodyMediaTypesOf(operation: Operation): readonly [string, ...string[]] {
  const { bodyMediaType = 'application/json', otherBodyMediaTypes = [], otherBodyForms = {} } = operation;
  return [bodyMediaType, ...otherBodyMediaTypes, ...Object.keys(otherBodyForms)];
}

/** Whether `accountParameter` can name the account: the browser itself requests answers that are not JSON. */
export function takesAccountParameter({ access, method, success }: Operation): boolean {
  return access.kind === 'session' && method === 'get' && success.mediaType !== undefined;
}

/** The scope that an API key needs for an operation; undefined if no key opens it. */
export function keyScopeOf({ access }: Operation): KeyScope | undefined {
  if (access.kind === 'apiKey') {
    return access.scope;
  }
  return access.kind === 'session' && typeof access.byKey !== 'string' ? access.byKey.scope : undefined;
}

/** The input of a handler, after parsing. */
export type OperationInput<Op extends Operation> = {
  readonly params: z.output<Op['params']>;
  readonly query: z.output<Op['query']>;
  readonly body: z.output<Op['body']>;
};

/** The request of a client, before parsing. */
export type OperationRequest<Op extends Operation> = {
  readonly params: z.input<Op['params']>;
  readonly query?: z.input<Op['query']>;
  readonly body: z.input<Op['body']>;
};

/** The answer of the operation on success. */
export type OperationResult<Op extends Operation> = z.output<Op['success']['schema']>;
