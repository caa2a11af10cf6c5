/** What earlier releases left in event logs, and what they rely on: see docs/decisions/event-log.md. */
import { readFileSync } from "node:fs"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as AreaEvents from "../../src/domain/event/AreaEvents.ts"
import { DomainEvent, declaredEvents } from "../../src/domain/event/DomainEvent.ts"
import { tagOf } from "../../src/domain/event/EventConsumer.ts"
import { EventConsumers } from "../../src/persistence/event/EventConsumersSql.ts"
import * as TestApp from "../support/TestApp.ts"

const tagged = Schema.decodeUnknownSync(Schema.Struct({ _tag: Schema.String }))
const codec = Schema.toCodecJson(DomainEvent)

// A line is added for a new event, and for each field that one gains. None is ever changed or removed.
const lines = readFileSync(new URL("golden.jsonl", import.meta.url), "utf8")
  .trimEnd()
  .split("\n")

describe("the events that are declared", () => {
  it.each(lines)("read and write what was written: %s", (line) => {
    const written: unknown = JSON.parse(line)
    assert.deepStrictEqual<unknown>(
      Schema.encodeSync(codec)(Schema.decodeUnknownSync(codec)(written)),
      written
    )
  })

  it("have a line each", () => {
    const known = new Set(lines.map((line) => tagged(JSON.parse(line))._tag))
    assert.deepStrictEqual([...known].sort(), declaredEvents.map(tagOf).sort())
  })

  it("have a tag of their own, which is the name they are exported by", () => {
    assert.deepStrictEqual(declaredEvents.map(tagOf).sort(), Object.keys(AreaEvents).sort())
    assert.strictEqual(new Set(declaredEvents.map(tagOf)).size, declaredEvents.length)
  })

  it("have each of their fields in some line, optional ones too", () => {
    for (const event of declaredEvents) {
      const written = lines
        .map((line) => JSON.parse(line))
        .filter(({ _tag }) => _tag === tagOf(event))
        .flatMap((one) => Object.keys(one))
      assert.deepStrictEqual([...new Set(written)].sort(), Object.keys(event.fields).sort(), tagOf(event))
    }
  })
})

layer(TestApp.layer)("the consumers", (it) => {
  // An older release that still runs moves a consumer past the events that it does not read itself. A consumer
  // that is to read another event is therefore a new one, with a name of its own. To retire one, delete its
  // row of event_consumers in a migration: as long as it is there, no event that it has not passed is deleted.
  it.effect("read what earlier releases of them read", () =>
    Effect.gen(function* () {
      const { consumers } = yield* EventConsumers
      assert.deepStrictEqual(Object.fromEntries(consumers.map(({ name, tags }) => [name, tags])), {
        audit: ["ThreadDeleted", "ThreadReplyDeleted"],
        notifications: ["ThreadReplyCreated", "MemberMentioned"]
      })
    })
  )
})
