/** How operations are called: what an endpoint declares, in the form that programs like to use. */
import { Context, Effect, Predicate, type Schema } from "effect"
import type { HttpClientError } from "effect/http"
import { type HttpApiClient, type HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import type { IdempotentOperation } from "../http/contract/IdempotentOperation.ts"

/** The answer to a conditional request whose `ifNoneMatch` is absent or out of date. */
export interface Modified<A> {
  readonly _tag: "Modified"
  /** The tag of the answer, to be sent as `ifNoneMatch` the next time. */
  readonly etag: string
  readonly body: A
}

/** The answer to a conditional request: nothing has changed since the answer with this tag. */
export interface NotModified {
  readonly _tag: "NotModified"
  readonly etag: string
}

type Nothing = Readonly<Record<never, never>>

/** The arguments of a method: the request, which may be left out if it has no required parts. */
type Arguments<Request> = Nothing extends Request ? [request?: Request] : [request: Request]

/** Calls an operation and answers the body of its response. */
export type Method<Request, Body, Failure> = (...request: Arguments<Request>) => Effect.Effect<Body, Failure>

/** Calls an operation whose answer has an entity tag. */
export interface ConditionalMethod<Request, Body, Failure> {
  /** Reads the body unless `ifNoneMatch` is still its tag; `ifNoneMatch` is `undefined` the first time. */
  (
    request: Request & { readonly ifNoneMatch: string | undefined }
  ): Effect.Effect<Modified<Body> | NotModified, Failure>
  /** Reads the body. */
  (...request: Arguments<Request>): Effect.Effect<Body, Failure>
}

/** A part of a request, which may be left out if everything in it may. */
type Part<Name extends string, Value> = [Value] extends [never]
  ? Nothing
  : Nothing extends Value
    ? { readonly [_ in Name]?: Value }
    : { readonly [_ in Name]: Value }

type PayloadPart<Value> = [Value] extends [never] ? Nothing : { readonly payload: Value }

type HeadersPart<Value> = [Value] extends [never]
  ? Nothing
  : [Exclude<keyof Value, "if-none-match">] extends [never]
    ? Nothing
    : Part<"headers", Omit<Value, "if-none-match">>

type Merged<Parts> = { readonly [Name in keyof Parts]: Parts[Name] }

type RequestOf<Endpoint extends HttpApiEndpoint.ConstraintRequest> = Merged<
  Part<"params", Endpoint["~Params"]["Type"]> &
    Part<"query", Endpoint["~Query"]["Type"]> &
    HeadersPart<Endpoint["~Headers"]["Type"]> &
    PayloadPart<Endpoint["~Payload"]["Type"]> &
    KeyPart<Endpoint>
>

/** A name of the request by which it is done once, however often it is sent: for operations that take one. */
type KeyPart<Endpoint> = Endpoint extends { readonly "~Middleware": infer Middleware }
  ? IdempotentOperation extends Middleware
    ? { readonly idempotencyKey?: string }
    : Nothing
  : Nothing

type BodyOf<Success> = Success extends HttpApiSchema.withHeaders<infer Body, infer _> ? Body : Success

type FailureOf<Endpoint> =
  | HttpApiEndpoint.Errors<Endpoint>
  | HttpClientError.HttpClientError
  | Schema.SchemaError

type IsConditional<Endpoint extends HttpApiEndpoint.ConstraintRequest> = [
  Endpoint["~Headers"]["Type"]
] extends [never]
  ? false
  : "if-none-match" extends keyof Endpoint["~Headers"]["Type"]
    ? true
    : false

/** The method of an endpoint. */
export type MethodOf<Endpoint extends HttpApiEndpoint.ConstraintRequest> =
  IsConditional<Endpoint> extends true
    ? ConditionalMethod<
        RequestOf<Endpoint>,
        Exclude<BodyOf<HttpApiClient.SuccessType<Endpoint["~Success"]>>, void>,
        FailureOf<Endpoint>
      >
    : Method<
        RequestOf<Endpoint>,
        BodyOf<HttpApiClient.SuccessType<Endpoint["~Success"]>>,
        FailureOf<Endpoint>
      >

/** A request as callers write it. */
interface Request {
  readonly params?: object
  readonly query?: object
  readonly headers?: object
  readonly payload?: unknown
  readonly ifNoneMatch?: string | undefined
  readonly idempotencyKey?: string | undefined
}

/** The key of the request that is sent, which is no header that operations declare one by one. */
export const CurrentIdempotencyKey = Context.Reference<string | undefined>("forum/client/IdempotencyKey", {
  defaultValue: () => undefined
})

type Answered = HttpApiSchema.withHeaders<unknown, unknown>

const hasHeaders = (value: unknown): value is Answered =>
  Predicate.hasProperty(value, HttpApiSchema.WithHeadersValueTypeId)

const bodyOf = (value: unknown): unknown => (hasHeaders(value) ? value.body : value)

const outcomeOf = (value: unknown): unknown => {
  if (!hasHeaders(value) || !Predicate.hasProperty(value.headers, "etag")) return value
  const { body, headers } = value
  return body === undefined
    ? { _tag: "NotModified", etag: headers.etag }
    : { _tag: "Modified", etag: headers.etag, body }
}

/** What `HttpApiClient` makes of an endpoint: it wants every declared part of the request, empty ones too. */
export type Raw<E> = (request: object) => Effect.Effect<unknown, E>

/** The method of an endpoint, made of its raw one. */
export const fromRaw =
  <E>(raw: Raw<E>) =>
  (request: Request = {}): Effect.Effect<unknown, E> => {
    const { headers, idempotencyKey, ifNoneMatch, ...parts } = request
    const condition = ifNoneMatch === undefined ? {} : { "if-none-match": ifNoneMatch }
    const answer = raw({ params: {}, query: {}, ...parts, headers: { ...headers, ...condition } })
    return Effect.map(
      Effect.provideService(answer, CurrentIdempotencyKey, idempotencyKey),
      "ifNoneMatch" in request ? outcomeOf : bodyOf
    )
  }
