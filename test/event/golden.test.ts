/** Compatibility with the event logs that releases have written, and with older releases that still run. */
import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as AreaEvents from "../../src/domain/event/AreaEvents.ts"
import { tagOf } from "../../src/domain/event/EventConsumer.ts"
import { DomainEvent, declaredEvents } from "../../src/domain/event/EventLog.ts"
import { EventConsumers } from "../../src/persistence/event/EventConsumersSql.ts"
import * as TestApp from "../support/TestApp.ts"

// One file an area. A line is added for a new event, for each field that an event gains, and for a new consumer.
// No line is changed. One is removed only with a migration that deletes such events, or the consumer's row.
const directory = new URL("golden/", import.meta.url)
const lines = readdirSync(directory).flatMap((file) =>
  readFileSync(new URL(file, directory), "utf8").trimEnd().split("\n")
)

const Consumer = Schema.fromJsonString(
  Schema.Struct({ consumer: Schema.String, reads: Schema.Array(Schema.String) })
)
const StoredEvent = Schema.fromJsonString(
  Schema.StructWithRest(Schema.Struct({ _tag: Schema.String }), [
    Schema.Record(Schema.String, Schema.Unknown)
  ])
)

const isConsumer = (line: string) => line.startsWith('{"consumer"')
const consumers = lines.filter(isConsumer).map((line) => Schema.decodeUnknownSync(Consumer)(line))
const events = lines
  .filter((line) => !isConsumer(line))
  .map((line) => Schema.decodeUnknownSync(StoredEvent)(line))

describe("the declared events", () => {
  const codec = Schema.toCodecJson(DomainEvent)

  it.each(events)("read and write what was written: %j", (written) => {
    const read = Schema.decodeUnknownSync(codec)(written)
    assert.deepStrictEqual<unknown>(Schema.encodeSync(codec)(read), written)
  })

  it("are those that were written", () => {
    const known = new Set(events.map(({ _tag }) => _tag))
    assert.deepStrictEqual([...known].sort(), declaredEvents.map(tagOf).sort())
  })

  it("were written with each of their fields, optional ones included", () => {
    for (const event of declaredEvents) {
      const written = events.filter(({ _tag }) => _tag === tagOf(event)).flatMap((one) => Object.keys(one))
      assert.deepStrictEqual([...new Set(written)].sort(), Object.keys(event.fields).sort(), tagOf(event))
    }
  })

  it("have the name that they are exported by as their tag", () => {
    assert.deepStrictEqual(declaredEvents.map(tagOf).sort(), Object.keys(AreaEvents).sort())
  })
})

layer(TestApp.layer)("the consumers", (it) => {
  // An older release that still runs moves a consumer past the events that it does not know as the consumer's.
  it.effect("read what they have read since they exist; another event is read by another consumer", () =>
    Effect.gen(function* () {
      const byName = (one: { readonly consumer: string }, other: { readonly consumer: string }) =>
        one.consumer < other.consumer ? -1 : 1
      const service = yield* EventConsumers
      const declared = service.consumers.map(({ name, tags }) => ({ consumer: name, reads: tags }))
      assert.deepStrictEqual(declared.toSorted(byName), consumers.toSorted(byName))
    })
  )
})
