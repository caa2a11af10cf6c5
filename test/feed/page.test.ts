/** What the page about feeds shows does what it says. */
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { promisify } from "node:util"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { entriesMax } from "../../src/domain/feed/Feed.ts"
import { guessUnits } from "../../src/http/feed/FeedsApi.ts"
import { temporary } from "../client/programs.ts"
import { open } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest } from "../support/people.ts"
import { eventsOf } from "./calendars.ts"

const page = readFileSync("docs/feeds.md", "utf8")

const scripts = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = ""]) => text)

// By the time of the machine, as curl drops cookies of another.
layer(Layer.fresh(People.layer), { excludeTestServices: true })("the page about feeds", (it) => {
  it.effect("shows requests that work", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      yield* open(freya, "Followed")
      const { address } = yield* HttpServer.HttpServer
      const url = HttpServer.formatAddress(address).replace("0.0.0.0", "127.0.0.1")
      const cwd = yield* temporary("forum-feeds-page-")
      const run = (script: string) =>
        Effect.promise(async () => {
          const { stdout } = await promisify(execFile)("sh", ["-euc", script], {
            cwd,
            env: { ...process.env, FORUM_URL: url }
          })
          return stdout.trim()
        })
      const [reading = "", again = "", own = ""] = scripts
      assert.strictEqual(yield* run(reading), "https://jsonfeed.org/version/1.1")
      assert.strictEqual(yield* run(again), "304")
      const calendar = yield* run(own)
      assert.match(calendar, /^http:\/\/forum\.test\/api\/feeds\/calendar\.ics\?key=[\w-]{43}$/)
      eventsOf(yield* guest.get(calendar.slice("http://forum.test/api".length)))
    })
  )

  it("says the limits that the service has", () => {
    for (const text of [
      `the ${entriesMax} threads that were active last`,
      `the ${entriesMax} newest replies`,
      `the ${entriesMax} published pages`,
      `the ${entriesMax} events that end next`,
      `costs its network ${guessUnits} units more`
    ]) {
      assert.include(page, text)
    }
  })
})
