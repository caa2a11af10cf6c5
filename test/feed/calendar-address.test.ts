/** The secret address of the calendar of an account. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { CalendarAddressUnknown } from "../../src/domain/feed/CalendarKey.ts"
import { AccessTokenRefused, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { networksOf } from "../../src/domain/shared/Network.ts"
import { RateLimitExceeded } from "../../src/http/contract/RequestProblems.ts"
import { guessUnits } from "../../src/http/feed/FeedsApi.ts"
import { ok } from "../support/answers.ts"
import { announce, takePart } from "../support/calendar.ts"
import { category } from "../support/discussion.ts"
import { ifNoneMatch } from "../support/etags.ts"
import * as Logs from "../support/logs.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, type Person, reinstate, suspend } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"
import { withToken } from "../support/tokens.ts"
import { eventsOf, namesOf } from "./calendars.ts"

const making = "/accounts/self/calendar-address"

/** Makes an address, and answers where it is below the root of the API. */
const addressOf = Effect.fnUntraced(function* (person: Person) {
  const { address }: { readonly address: string } = ok(yield* person.post(making))
  assert.match(address, /^http:\/\/forum\.test\/api\/feeds\/calendar\.ics\?key=[\w-]{43}$/)
  return address.slice("http://forum.test/api".length)
})

const keyIn = (address: string) => address.split("=")[1] ?? ""

const unknown = (key: string) => `/feeds/calendar.ics?key=${key}`

layer(People.layer)("the secret address of a calendar", (it) => {
  it.effect("has the events that the account takes part in and may read", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const place = yield* category(odin, "Hall")
      const attended = yield* announce(odin, place.id, "Attended")
      yield* announce(odin, place.id, "Of others")
      const declined = yield* announce(odin, place.id, "Declined")
      const invited = yield* announce(odin, place.id, "Invited", {
        participation_policy: "invite_only",
        visibility: "unlisted"
      })
      const draft = yield* announce(odin, place.id, "Draft", { visibility: "draft" })
      const past = yield* announce(odin, place.id, "Past", {
        time_range: { start: "1960-01-01T00:00:00Z", end: "1960-01-01T01:00:00Z" }
      })
      for (const { id } of [attended, declined, past]) ok(yield* takePart(freya, id, freya))
      ok(yield* takePart(freya, declined.id, freya, { status: "declined" }))
      ok(yield* takePart(odin, invited.id, freya, { status: "invited" }))
      ok(yield* takePart(odin, draft.id, freya, { status: "attending" }))
      const address = yield* addressOf(freya)
      const answer = yield* guest.get(address)
      assert.strictEqual(answer.headers["cache-control"], "private, no-cache")
      assert.deepStrictEqual(namesOf(answer), ["Attended", "Invited"])
      assert.deepStrictEqual(
        eventsOf(answer).map(({ component }) => component.getFirstPropertyValue("status")),
        ["CONFIRMED", "TENTATIVE"]
      )
      assert.strictEqual((yield* guest.get(address, ifNoneMatch(answer.headers.etag ?? ""))).status, 304)
      // Whoever asks, and from whenever on.
      assert.strictEqual((yield* loki.get(address)).text, answer.text)
      assert.deepStrictEqual(namesOf(yield* guest.get(`${address}&from=1950-01-01T00:00:00Z`)), [
        "Past",
        "Attended",
        "Invited"
      ])
      assertInvalid(yield* guest.get(`${address}&from=never`), "query from")

      // What may be read is decided with each request.
      yield* grant(freya, "MANAGE_EVENTS")
      assert.sameMembers([...namesOf(yield* guest.get(address))], ["Attended", "Invited", "Draft"])
      ok(yield* odin.patch(`/events/${invited.id}`, { visibility: "review" }))
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from account_roles where account_id = ${freya.id}`
      assert.deepStrictEqual(namesOf(yield* guest.get(address)), ["Attended"])
      ok(yield* odin.delete(`/events/${attended.id}`))
      assert.deepStrictEqual(namesOf(yield* guest.get(address)), [])
      // Hosts see their own.
      assert.include(namesOf(yield* guest.get(yield* addressOf(odin))), "Draft")
    })
  )

  it.effect("is stored as a hash, replaced at once, and one for each account", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const first = yield* addressOf(freya)
      const second = yield* addressOf(freya)
      const other = yield* addressOf(loki)
      assertProblem(yield* guest.get(first), CalendarAddressUnknown)
      eventsOf(yield* guest.get(second))
      eventsOf(yield* guest.get(other))
      const made = yield* Effect.all(
        Array.from({ length: 50 }, () => addressOf(freya)),
        { concurrency: "unbounded" }
      )
      const answers = yield* Effect.forEach(made, (address) => guest.get(address))
      assert.lengthOf(
        answers.filter(({ status }) => status === 200),
        1
      )
      const rows = yield* sql<{
        readonly text: string
      }>`select calendar_addresses::text as text from calendar_addresses
        where account_id in (${freya.id}, ${loki.id})`
      assert.lengthOf(rows, 2)
      for (const { text } of rows) {
        for (const address of [other, ...made]) assert.notInclude(text, keyIn(address))
      }
    })
  )

  it.effect("answers nothing while the account is suspended, and never once it is gone", () =>
    Effect.gen(function* () {
      const { loki } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const address = yield* addressOf(loki)
      yield* suspend(loki)
      assertProblem(yield* guest.get(address), CalendarAddressUnknown)
      yield* reinstate(loki)
      eventsOf(yield* guest.get(address))
      const gone = yield* People.signUp("narfi")
      const theirs = yield* addressOf(gone)
      yield* sql`delete from accounts where id = ${gone.id}`
      assertProblem(yield* guest.get(theirs), CalendarAddressUnknown)
    })
  )

  it.effect("is made by a person, and not by a program that was granted something", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      assertProblem(yield* guest.post(making), Unauthenticated)
      const program = yield* withToken(freya, "openid profile")
      assertProblem(yield* program.post(making), AccessTokenRefused)
    })
  )

  it.effect("is not found by anything but the key, which has a form", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const key = keyIn(yield* addressOf(odin))
      for (const wrong of [
        "x",
        key.slice(1),
        `${key}x`,
        key.toUpperCase(),
        `${key.slice(0, -1)}${key.endsWith("A") ? "B" : "A"}`,
        odin.cookie ?? ""
      ]) {
        const answer = yield* guest.get(unknown(wrong))
        assertProblem(answer, CalendarAddressUnknown)
        assert.notInclude(answer.text, wrong.slice(0, 20).padEnd(20, "~"))
      }
      assertInvalid(yield* guest.get("/feeds/calendar.ics"), "query key")
      assertInvalid(yield* guest.get(unknown("x".repeat(101))), "query key")
    })
  )
})

layer(Layer.provideMerge(People.layer, Logs.layer))("the key of a calendar", (it) => {
  it.effect("is in no line of the log", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const address = yield* addressOf(odin)
      const guessed = "G".repeat(43)
      eventsOf(yield* guest.get(address))
      yield* guest.get(unknown(guessed))
      yield* guest.get(`${unknown(guessed)}&from=wrong`)
      const said = (yield* Logs.Logs).map(({ text }) => text)
      assert.isNotEmpty(said.filter((text) => text.includes("/api/feeds/calendar.ics")))
      for (const text of said) {
        assert.notInclude(text, keyIn(address))
        assert.notInclude(text, guessed)
      }
    })
  )
})

layer(People.withCast(TestApp.layerWhere({ trustedProxies: networksOf(["127.0.0.0/8", "::1"]) })))(
  "who guesses keys of calendars",
  (it) => {
    it.effect("uses up the rate limit of the own network soon, and of no other", () =>
      Effect.gen(function* () {
        const { odin } = yield* Cast
        const address = yield* addressOf(odin)
        const from = (ip: string) => ({ headers: { "x-forwarded-for": ip } })
        const first = yield* guest.get(unknown("x"), from("203.0.113.1"))
        assertProblem(first, CalendarAddressUnknown)
        const limit = Number(first.headers["x-ratelimit-limit"])
        assert.strictEqual(first.headers["x-ratelimit-remaining"], String(limit - guessUnits - 1))
        for (let tried = guessUnits + 1; tried < limit; tried += guessUnits + 1) {
          yield* guest.get(unknown("x"), from("203.0.113.1"))
        }
        assertProblem(yield* guest.get(unknown("x"), from("203.0.113.1")), RateLimitExceeded)
        const right = yield* guest.get(address, from("203.0.113.2"))
        eventsOf(right)
        assert.strictEqual(right.headers["x-ratelimit-remaining"], String(limit - 1))
      })
    )
  }
)
