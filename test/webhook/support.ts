/** Webhooks in the tests: receivers on this machine, to which requests are let through. */
import type { ServerResponse } from "node:http"
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Dns, IpNetwork, NetAddress } from "effect/net"
import { SqlClient } from "effect/sql"
import { Webhook } from "standardwebhooks"
import { NetworksOpened } from "../../src/domain/outbound/NetworksOpened.ts"
import { Outbound } from "../../src/domain/outbound/Outbound.ts"
import { WebhookSending } from "../../src/domain/webhook/WebhookSending.ts"
import { make } from "../../src/layers/adapters/outbound/GuardedOutbound.ts"
import { Names } from "../../src/layers/adapters/outbound/Names.ts"
import { ok } from "../support/answers.ts"
import { open } from "../support/discussion.ts"
import { Cast, drainEvents, type Person, withCast } from "../support/people.ts"
import * as TestApp from "../support/TestApp.ts"
import { type Arrived, serve } from "../support/web.ts"

const opened = [IpNetwork.fromStringUnsafe("127.0.0.1/32")]

/** Names that the tests give addresses to; all others are unknown. */
export const known = new Map<string, string>()

const names = Names.of({
  addressesOf: (name) => {
    const address = known.get(name)
    return address === undefined
      ? Effect.fail(new Dns.DnsError({ reason: "NotFound", method: "resolve", hostname: name }))
      : Effect.succeed([NetAddress.ipFromStringUnsafe(address)])
  }
})

export const web = Layer.effect(
  Outbound,
  Effect.provideService(make({ userAgent: "forum/1", opened }), Names, names)
)

/** Requests may reach receivers on this machine, as an operator has set it. */
export const opening = Layer.succeed(NetworksOpened, opened)

/** The service with its cast, whose requests reach receivers on this machine. */
export const layer = withCast(Layer.provide(TestApp.layerWithWeb(web), opening))

export const webhooks = "/admin/webhooks"

export type Answering = (request: Arrived, response: ServerResponse) => void

export const answering =
  (status: number, body = ""): Answering =>
  (_request, response) => {
    response.writeHead(status).end(body)
  }

/** A server that notes what arrives; what it answers can be changed. */
export const receiver = Effect.fnUntraced(function* (answer: Answering = answering(200, "ok")) {
  const behaviour = { current: answer }
  const { arrived, port } = yield* serve((request, response) => behaviour.current(request, response))
  return { arrived, behaviour, port, url: `http://127.0.0.1:${port}/hook` } as const
})

/** Creates a webhook that is told of everything, unless something else is said. */
export const create = (person: Person, url: string, more: Readonly<Record<string, unknown>> = {}) =>
  Effect.map(person.post(webhooks, { url, events: ["*"], ...more }), ok)

/** Makes deliveries of what has happened, and delivers what is due. */
export const deliver = Effect.andThen(
  drainEvents,
  Effect.flatMap(WebhookSending, ({ drain }) => drain)
)

/** Leaves no webhook, and nothing that the next one would be told of. */
export const clear = Effect.andThen(
  SqlClient.SqlClient.use((sql) => sql`delete from webhooks`),
  deliver
)

/** The cast without webhooks, and a receiver. */
export const begin = Effect.gen(function* () {
  yield* clear
  return { ...(yield* Cast), receiver: yield* receiver() }
})

/** What a webhook wants that is told of new threads. */
export const published = { events: ["EventThreadPublished"] }

/** A webhook of new threads, after one was delivered that its receiver answered so. */
export const tried = Effect.fnUntraced(function* (answer: Answering) {
  const { receiver, ...cast } = yield* begin
  receiver.behaviour.current = answer
  const { id, secret } = yield* create(cast.odin, receiver.url, published)
  yield* open(cast.odin, "Tide")
  yield* deliver
  return { ...cast, receiver, id, secret }
})

/** The ids of what the requests tell of that arrived. */
export const idsOf = (arrived: ReadonlyArray<Arrived>) => arrived.map(({ body }) => JSON.parse(body).data.id)

export interface Body {
  readonly type: string
  readonly timestamp: string
  readonly data: Readonly<Record<string, unknown>>
}

/** The signatures of a request. */
export const signaturesOf = ({ headers }: Arrived): ReadonlyArray<string> =>
  String(headers["webhook-signature"]).split(" ")

/** How a request is signed with a secret, by the library that receivers use. */
export const signatureWith = (secret: string, { body, headers }: Arrived): string =>
  new Webhook(secret).sign(
    String(headers["webhook-id"]),
    new Date(Number(headers["webhook-timestamp"]) * 1000),
    body
  )

/** What arrived, which was signed with the secret alone. */
export const verified = (arrived: Arrived, secret: string): Body => {
  assert.deepStrictEqual(signaturesOf(arrived), [signatureWith(secret, arrived)])
  return JSON.parse(arrived.body)
}

/** The webhook as it is now. */
export const shown = (person: Person, id: string) => Effect.map(person.get(`${webhooks}/${id}`), ok)

/** Its deliveries, newest first. */
export const deliveriesOf = (person: Person, id: string, query = "") =>
  Effect.map(person.get(`${webhooks}/${id}/deliveries${query}`), (answer) => ok(answer).deliveries)

/** A delivery with its attempts. */
export const deliveryOf = (person: Person, id: string, delivery: string) =>
  Effect.map(person.get(`${webhooks}/${id}/deliveries/${delivery}`), ok)

export const assertNames = (bodies: ReadonlyArray<Body>, names: ReadonlyArray<string>) =>
  assert.deepStrictEqual(
    bodies.map(({ type }) => type),
    names
  )
