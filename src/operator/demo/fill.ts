/** Writes the demonstration through the API, as people would, with a clock that runs ahead of them. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Array as Arrays, Clock, Effect, Order } from "effect"
import { HttpServer } from "effect/http"
import * as Client from "../../client/Client.ts"
import { EventConsumers } from "../../persistence/event/EventConsumersSql.ts"
import { categoriesBy, discussions } from "./discussion.ts"
import { type Cast, hour, joins, length, type Moment } from "./Moment.ts"
import * as MovingClock from "./MovingClock.ts"
import { everybody, type Person } from "./people.ts"
import { calendar, collecting, joining, librarian, settling } from "./surroundings.ts"

const minute = 60_000

const makeCast = Effect.fnUntraced(function* (baseUrl: string) {
  const clients = new Map<Person, Client.Client>()
  for (const person of everybody) clients.set(person, yield* Client.make({ baseUrl }))
  const clientOf = (person: Person) => {
    const client = clients.get(person)
    if (client === undefined) throw new Error(`${person.handle} is nobody of the demonstration`)
    return client
  }
  // The first one has other things to do.
  const somebody = (at: number, number: number) => {
    const there = everybody.filter((_, index) => index > 0 && joins(index) + hour < at)
    const found = there[number % there.length]
    if (found === undefined) throw new Error(`Nobody has joined by minute ${at}`)
    return found
  }
  return { clientOf, somebody, ids: new Map() } satisfies Cast
})

const byTime = Order.mapInput(Order.Number, ({ at }: Moment) => at)

/** Fills the service in the context, which has to be empty, and waits until what follows from it is done. */
const write = Effect.fnUntraced(function* ({ set }: MovingClock.MovingClock, start: number) {
  const { address } = yield* HttpServer.HttpServer
  if (address._tag === "UnixPathAddress") return yield* Effect.die("The demonstration is written over TCP")
  const cast = yield* makeCast(`http://127.0.0.1:${address.port}`)
  const categories = categoriesBy(cast)
  const moments = Arrays.sort(
    [
      ...joining(cast),
      { at: joins(1) + hour, act: categories.create },
      settling(cast),
      ...librarian(cast),
      ...calendar(cast, start, () => categories.ids.get("Announcements")),
      ...discussions(cast, categories.ids),
      ...collecting(cast)
    ],
    byTime
  )
  for (const { act, at } of moments) {
    yield* set(start + at * minute)
    yield* act
  }
  yield* set(start + length * minute)
  const { drain, lag } = yield* EventConsumers
  yield* drain.pipe(Effect.andThen(lag), Effect.repeat({ while: (behind) => behind > 0 }))
}, Effect.provide(NodeHttpClient.layerUndici))

/** Fills the service that a layer makes; everything happened in the time before now. */
export const fill = Effect.gen(function* () {
  const now = yield* Clock.currentTimeMillis
  const start = now - length * minute
  const moving = yield* MovingClock.make(start)
  return { clock: moving.clock, write: write(moving, start) }
})
