/** Images of the instance that replace others, on all instances, and the files that are left then. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Assets } from "../../src/domain/asset/Assets.ts"
import { iconSizes } from "../../src/domain/instance/InstanceImage.ts"
import { ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast, drainEvents, grant, guest } from "../support/people.ts"
import * as TestApp from "../support/TestApp.ts"
import { centres, drawing, filesIn, iconOf, noted, shown } from "./support.ts"

layer(People.layer)("uploaded images", (it) => {
  it.effect("are recorded, and say who uploaded them", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const events = sql`select actor_id, event from event_log where event ->> '_tag' = 'InstanceImageUpdated' order by id`
      ok(yield* odin.post("/info/banner", yield* drawing(9, 9)))
      ok(yield* odin.post("/info/icon", yield* drawing(9, 9)))
      const event = { _tag: "InstanceImageUpdated" }
      assert.deepStrictEqual(yield* events, [
        { actor_id: odin.id, event: { ...event, image: "banner" } },
        { actor_id: odin.id, event: { ...event, image: "icon" } }
      ])
      yield* drainEvents
    })
  )

  it.effect("of many uploads at once are those of one, and the files of the others go hours later", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const { clean } = yield* Assets
      // Those of one account would wait for each other.
      for (const person of [freya, loki, tyr]) yield* grant(person, "MANAGE_SETTINGS")
      const colours = ["red", "lime", "blue", "white", "black", "yellow", "cyan", "magenta"]
      const images = yield* Effect.forEach(colours, (colour) => drawing(40, 40, colour))
      const people = [odin, freya, loki, tyr, odin, freya, loki, tyr]
      const answers = yield* Effect.forEach(people, (person, n) => person.post("/info/icon", images[n]), {
        concurrency: "unbounded"
      })
      for (const answer of answers) ok(answer)
      const seen = yield* centres
      assert.strictEqual(new Set(seen).size, 1, seen.join(", "))
      assert.deepStrictEqual(yield* filesIn("incoming"), [])

      // Who has begun to read one of them reads it to its end.
      const [{ upload_id: id = "" } = {}, { upload_id: bannerId = "" } = {}] = yield* shown
      const current = iconSizes.map((size) => `${id}-${size}`)
      const files = yield* filesIn("files")
      const old = files.filter((name) => !current.includes(name) && !name.startsWith(String(bannerId)))
      assert.strictEqual(old.length, 8 * 6)
      assert.deepStrictEqual(
        (yield* noted).map((one) => one.id),
        old.toSorted()
      )
      yield* clean
      assert.strictEqual((yield* filesIn("files")).length, files.length)
      yield* TestClock.adjust("3 hours")
      yield* clean
      assert.deepStrictEqual(
        [...(yield* filesIn("files"))].sort(),
        [...current, `${bannerId}-1200x630`].sort()
      )
      assert.deepStrictEqual(yield* noted, [])
      assert.deepStrictEqual(yield* centres, seen)
    })
  )
})

layer(Layer.provideMerge(TestApp.uncached, People.layer))("an uploaded image", (it) => {
  it.effect("is that of all instances at once", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const elsewhere = yield* TestApp.UncachedClient
      for (const _ of ["first", "second"]) {
        ok(yield* odin.post("/info/icon", yield* drawing(30, 30)))
        const { headers } = yield* iconOf("152x152")
        const asked = guest.get("/info/icon/152x152", { headers: { "if-none-match": String(headers.etag) } })
        const answer = yield* Effect.provideService(asked, HttpClient.HttpClient, elsewhere)
        assert.strictEqual(answer.status, 304)
      }
    })
  )
})
