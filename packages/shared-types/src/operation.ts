import type { z } from 'zod';
import type { ProblemCode } from './problems.ts';
import type { ServiceName } from './service-name.ts';

/** Who may call an operation, and how the caller proves it. */
export type Access =
  | { readonly kind: 'apiKey' }
  /** A person who has signed in; an `owner` operation is refused to members. */
  | { readonly kind: 'session'; readonly role: 'member' | 'owner' }
  /** Anybody; a client address may ask only so often. */
  | { readonly kind: 'public' }
  /** A short-lived signed token of one of the named services (ADR 0004). */
  | { readonly kind: 'service'; readonly callers: readonly ServiceName[] };

/** The cookie that proves who has signed in. The prefix binds it to this host, over TLS, for every path (RFC 6265bis). */
export const sessionCookie = '__Host-mailproof_session';

/** The account that a page shows. A request is refused where the session belongs to another account (ADR 0057). */
export const accountHeader = 'X-Mailproof-Account';

/** The same as a query parameter, for downloads and event streams: a browser sends them without headers of ours. */
export const accountParameter = 'for_account';

/** A response header of the contract. */
export interface ResponseHeader {
  readonly description: string;
  readonly type: 'integer' | 'string';
  readonly format?: 'int64';
}

/**
 * The contract of one HTTP operation. Routes are mounted from it, clients are made from it and the OpenAPI
 * document is generated from it, so neither can say anything that the others do not. Its schemas are asked for no more
 * than Zod's core: comparing the methods of each with those of `z.ZodType` was most of what checking the types took.
 */
export interface Operation<
  Params extends z.core.$ZodType = z.core.$ZodType,
  Query extends z.core.$ZodType = z.core.$ZodType,
  Body extends z.core.$ZodType = z.core.$ZodType,
  Success extends z.core.$ZodType = z.core.$ZodType,
> {
  /** Kebab-case; the file that implements the operation bears this name. */
  readonly id: string;
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** Express-style path below the service's root, for example `/internal/v1/holds/:holdId`. */
  readonly path: string;
  readonly summary: string;
  /** The heading under which the reference lists it. */
  readonly tag?: string;
  readonly description: string;
  readonly access: Access;
  readonly params: Params;
  /** Parameters of the query string; an unknown one is refused. */
  readonly query: Query;
  /** `z.undefined()` where the operation takes no body. */
  readonly body: Body;
  /** Largest accepted body, in octets after decompression. */
  readonly bodyBytesMax: number;
  /**
   * Media type of a body that is no JSON object. It reaches the handler as a stream (`streamedBody`), octet by octet as
   * it comes in, so that the slower end sets the pace and nobody keeps it whole.
   */
  readonly bodyMediaType?: string;
  /** Further media types that such a body may have. */
  readonly otherBodyMediaTypes?: readonly string[];
  /** True where the operation finds out by itself how such a body is encoded, so that any `charset` is let through. */
  readonly bodyIsUndecoded?: true;
  /**
   * Time for such a body to come in, in milliseconds; the time of every request where it is left out. With it, a body of
   * which nothing comes for `limits.uploadSilentMsMax` is given up, and so is one that comes at less than the gateway's
   * minimum rate.
   */
  readonly bodyMsMax?: number;
  /** Time in which nothing of such a body comes, in milliseconds; `limits.uploadSilentMsMax` where it is left out. */
  readonly bodySilentMsMax?: number;
  /** Such a body, shown in the reference. */
  readonly bodyExample?: string;
  readonly success: {
    readonly status: 200 | 201 | 202;
    readonly description: string;
    readonly schema: Success;
    /**
     * Media type of an answer that is no JSON object. The handler answers its text piece by piece (`streamedAnswer`), and
     * makes the next piece when the client has taken the one before.
     */
    readonly mediaType?: string;
    /** A true answer, shown in the reference. */
    readonly example?: z.input<Success>;
    readonly headers?: Readonly<Record<string, ResponseHeader>>;
  };
  /** True when a caller that lost the answer may send the request again: the second time changes nothing more. */
  readonly repeatable: boolean;
  /**
   * True for what can charge: the caller may send an `Idempotency-Key`, under which the answer is kept, so that asking
   * again after a lost answer neither works nor charges twice (ADR 0023).
   */
  readonly takesIdempotencyKey?: true;
  /** The list whose first page is in the answer: its `next_cursor` is for that operation. Absent where it is this one. */
  readonly beginsList?: string;
  /** Problems beyond those that every operation can answer (see `commonProblems`). */
  readonly problems: readonly ProblemCode[];
}

/** Whether `accountParameter` may name the account: the browser itself requests what is no JSON. */
export function takesAccountParameter({ access, method, success }: Operation): boolean {
  return access.kind === 'session' && method === 'get' && success.mediaType !== undefined;
}

/** What a handler receives, after parsing. */
export type OperationInput<Op extends Operation> = {
  readonly params: z.output<Op['params']>;
  readonly query: z.output<Op['query']>;
  readonly body: z.output<Op['body']>;
};

/** What a client sends, before parsing. */
export type OperationRequest<Op extends Operation> = {
  readonly params: z.input<Op['params']>;
  readonly query?: z.input<Op['query']>;
  readonly body: z.input<Op['body']>;
};

/** What the operation answers on success. */
export type OperationResult<Op extends Operation> = z.output<Op['success']['schema']>;

/** Declares an operation, keeping the precise types of its schemas. */
export function defineOperation<
  Params extends z.core.$ZodType,
  Query extends z.core.$ZodType,
  Body extends z.core.$ZodType,
  Success extends z.core.$ZodType,
>(operation: Operation<Params, Query, Body, Success>): Operation<Params, Query, Body, Success> {
  return operation;
}
