/**
 * Repeats with the typed client what a test has asked over plain HTTP: the client has to send what means the same, and to
 * understand the answer.
 */
import { assert } from "@effect/vitest"
import { Context, Effect, Predicate, Schema, Stream } from "effect"
import { HttpClient, type HttpClientRequest, HttpClientResponse } from "effect/http"
import { HttpApi, type HttpApiEndpoint, OpenApi } from "effect/http-api"
import * as Client from "../../src/client/Client.ts"
import type { Answer } from "./answers.ts"

type Sent = HttpClientRequest.HttpClientRequest

interface Method {
  readonly group: string
  readonly endpoint: HttpApiEndpoint.Top
}

/** The methods of the client, by the ids of their operations. */
const methods = new Map<string, Method>()
HttpApi.reflect(Client.ForumApi, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, group }) => {
    const id = Context.getOrElse(endpoint.annotations, OpenApi.Identifier, () => endpoint.identifier)
    methods.set(id, { group: group.identifier, endpoint })
  }
})

const decode = (schema: Schema.Top | undefined, value: unknown) =>
  schema === undefined
    ? Effect.undefined
    : Schema.decodeUnknownEffect(Schema.make<Schema.Decoder<unknown>>(schema.ast))(value)

const bytesOf = Effect.fnUntraced(function* ({ body }: Sent) {
  if (body._tag === "Uint8Array") return body.body
  return Buffer.concat(body._tag === "Stream" ? yield* Stream.runCollect(body.stream) : [])
})

const payloadOf = Effect.fnUntraced(function* ({ payload }: HttpApiEndpoint.Top, sent: Sent) {
  const [kind] = payload.values()
  if (kind === undefined) return undefined
  const bytes = yield* bytesOf(sent)
  if (kind.encoding._tag === "Stream") return Buffer.from(bytes)
  const text = new TextDecoder().decode(bytes)
  if (text === "") return yield* decode(Schema.Union(kind.schemas), undefined)
  const schema = Schema.Union(kind.schemas)
  switch (kind.encoding._tag) {
    case "Json":
      return yield* decode(schema, yield* decode(Schema.fromJsonString(Schema.Unknown), text))
    case "FormUrlEncoded":
      return yield* decode(schema, Object.fromEntries(new URLSearchParams(text)))
    default:
      return yield* decode(schema, text)
  }
})

const parametersOf = ({ path }: HttpApiEndpoint.Top, { pathname }: URL) => {
  const found = new RegExp(`^${path.replaceAll(".", "\\.").replace(/:(\w+)/g, "(?<$1>[^/]+)")}$`).exec(
    pathname
  )
  assert.isNotNull(found, `${pathname} is not ${path}`)
  const values = Object.entries(found?.groups ?? {})
  return Object.fromEntries(values.map(([name, value]) => [name, decodeURIComponent(value)]))
}

const queryOf = ({ searchParams }: URL) =>
  Object.fromEntries(
    searchParams.keys().map((key) => {
      const values = searchParams.getAll(key)
      return [key, values.length === 1 ? values[0] : values]
    })
  )

/** What a request means to its operation. */
const meaningOf = Effect.fnUntraced(function* (endpoint: HttpApiEndpoint.Top, sent: Sent) {
  const url = new URL(sent.url, "http://forum.test")
  for (const [name, value] of sent.urlParams.params) url.searchParams.append(name, String(value))
  return {
    params: yield* decode(endpoint.params, parametersOf(endpoint, url)),
    query: yield* decode(endpoint.query && Schema.toCodecArrayFromSingle(endpoint.query), queryOf(url)),
    headers: yield* decode(endpoint.headers, sent.headers),
    payload: yield* payloadOf(endpoint, sent)
  }
})

type Meaning = Effect.Success<ReturnType<typeof meaningOf>>

/** What the client is answered with, and what it has sent. */
const Exchange = Context.Reference("test/Exchange", {
  defaultValue: (): { readonly answer: Answer | undefined; readonly requests: Array<Sent> } => ({
    answer: undefined,
    requests: []
  })
})

const answering = HttpClient.make((request) =>
  Effect.map(Exchange, ({ answer, requests }) => {
    if (answer === undefined) return assert.fail("There is no answer for the client")
    const { headers, status, text } = answer
    requests.push(request)
    const body = status === 204 || status === 304 ? null : text
    const known = Object.entries(headers).map(([name, value]): [string, string] => [name, value ?? ""])
    return HttpClientResponse.fromWeb(request, new Response(body, { status, headers: known }))
  })
)

/** Made once: it takes as long as twenty requests. */
const client = await Effect.runPromise(
  Effect.provideService(Client.make({ baseUrl: "http://forum.test" }), HttpClient.HttpClient, answering)
)

const isProgram = (value: unknown): value is Effect.Effect<unknown, unknown> => Effect.isEffect(value)

const callMethod = ({ endpoint, group }: Method, meaning: Meaning) => {
  const found: unknown = Reflect.get(Reflect.get(client, group), endpoint.identifier)
  if (!Predicate.isFunction(found)) return assert.fail(`The client has no ${group}.${endpoint.identifier}`)
  const { payload, ...parts } = meaning
  const isUpload = [...endpoint.payload.values()].some(({ encoding }) => encoding._tag === "Stream")
  const answer: unknown = found({
    ...Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined)),
    payload: isUpload ? Stream.succeed(payload) : payload
  })
  if (!isProgram(answer)) return assert.fail("A method answers an Effect")
  return answer
}

/**
 * Has the client send the same, and answers what it makes of the answer. Fails with a `SchemaError` if that is no request
 * that the client could send.
 */
export const repeated = Effect.fnUntraced(function* (operation: string, sent: Sent, answer: Answer) {
  const method = methods.get(operation)
  if (method === undefined) return assert.fail(`The client has no operation ${operation}`)
  const meaning = yield* meaningOf(method.endpoint, sent)
  const requests: Array<Sent> = []
  const exchange = Effect.provideService(callMethod(method, meaning), Exchange, { answer, requests })
  const result = yield* Effect.result(exchange)
  const [again] = requests
  if (again === undefined) return assert.fail(`${operation} was not sent: ${JSON.stringify(result)}`)
  assert.strictEqual(again.method, sent.method)
  const { headers: _, ...parts } = meaning
  const { headers: __, ...partsAgain } = yield* meaningOf(method.endpoint, again)
  assert.deepStrictEqual(partsAgain, parts, operation)
  return result
})

/** Runs what calls the service, and answers the last request as well. */
export const withRequest = <A, E, R>(call: Effect.Effect<A, E, R>) => {
  const requests: Array<Sent> = []
  const noting = HttpClient.tapRequest((request) => Effect.sync(() => requests.push(request)))
  return Effect.map(Effect.updateService(call, HttpClient.HttpClient, noting), (answer) => ({
    answer,
    sent: requests.at(-1)
  }))
}
