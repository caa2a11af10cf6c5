/** Which handles are one, and which nobody may have. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { HandleInvalid, HandleTaken } from "../../src/domain/account/Account.ts"
import { HandleUnknown, PasswordWrong } from "../../src/domain/authentication/Password.ts"
import handleKeys from "../../src/persistence/migrations/0010_handle_keys.ts"
import { ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast, guest, password, signIn, signUp } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"

const signUpAs = (identifier: string) => guest.post("/auth/password/signup", { identifier, token: password })

const reserved = [
  "me",
  "self",
  "admin",
  "administrator",
  "system",
  "guest",
  "null",
  "undefined",
  "Root",
  "API"
]

layer(People.layer)("handles", (it) => {
  it.effect("that are reserved words, look like one, or are shaped like an id are refused", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      for (const handle of [...reserved, "аdmin", "ѕеlf", odin.id, odin.id.toUpperCase(), "v".repeat(20)]) {
        const broken = { handle: handle.toLowerCase(), rule: "reserved" } as const
        assertProblem(yield* signUpAs(handle), HandleInvalid, broken)
        assertProblem(yield* freya.patch("/accounts", { handle }), HandleInvalid, broken)
      }
      for (const handle of ["admins", "me2", "v".repeat(19), "v".repeat(21), "w".repeat(20)])
        yield* signUp(handle)
    })
  )

  it.effect("with characters that nobody sees are refused", () =>
    Effect.gen(function* () {
      for (const hidden of ["\u200b", "\u200d", "\u00ad", "\u034f", "\ufe0f", "\u3164", "\u115f", "\u202e"]) {
        const handle = `fe${hidden}nrir`
        assertProblem(yield* signUpAs(handle), HandleInvalid, { handle, rule: "characters" })
      }
    })
  )

  it.effect.each([
    ["оdin", "Cyrillic о"],
    ["οdin", "Greek ο"],
    ["օdin", "Armenian օ"],
    ["odіn", "Cyrillic і"],
    ["ОDIN", "a capital Cyrillic О"]
  ] as const)("%s with %s is odin", ([handle]) =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      assertProblem(yield* signUpAs(handle), HandleTaken, { handle: handle.toLowerCase() })
      assertProblem(yield* freya.patch("/accounts", { handle }), HandleTaken, {
        handle: handle.toLowerCase()
      })
      assert.strictEqual(ok(yield* signIn(handle)).id, odin.id)
    })
  )

  it.effect("that differ in a final sigma are one; in letters of ASCII, however alike, two", () =>
    Effect.gen(function* () {
      yield* signUp("οδος")
      assertProblem(yield* signUpAs("οδοσ"), HandleTaken, { handle: "οδοσ" })
      for (const handle of ["bam", "barn", "0din", "od1n", "odln"]) yield* signUp(handle)
    })
  )

  it.effect("that are one are given to one of many who ask at once", () =>
    Effect.gen(function* () {
      const answers = yield* Effect.forEach(["sif", "ѕif", "sіf", "ѕіf", "SIF", "Sіf"], signUpAs, {
        concurrency: "unbounded"
      })
      assert.strictEqual(answers.filter(({ status }) => status === 200).length, 1)
      for (const answer of answers.filter(({ status }) => status !== 200)) assertProblem(answer, HandleTaken)
    })
  )

  it.effect("may be written otherwise by their owners, and are free once they have another", () =>
    Effect.gen(function* () {
      const hel = yield* signUp("hel")
      assert.strictEqual(ok(yield* hel.patch("/accounts", { handle: "hеl" })).handle, "hеl")
      assertProblem(yield* signUpAs("hel"), HandleTaken, { handle: "hel" })
      assert.strictEqual(ok(yield* signIn("hel")).id, hel.id)
      ok(yield* hel.patch("/accounts", { handle: "hela" }))
      assertProblem(yield* signIn("hel"), HandleUnknown)
      yield* signUp("hel")
    })
  )
})

layer(People.layer)("accounts older than the rules of handles", (it) => {
  it.effect("keep their handles, sign in with them, and can change everything else", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      yield* sql`alter table accounts drop column handle_key`
      yield* sql`update accounts set handle = 'оdin' where id = ${freya.id}`
      yield* sql`update accounts set handle = 'οdin' where id = ${loki.id}`
      yield* sql`update accounts set handle = 'admin' where id = ${tyr.id}`
      yield* handleKeys
      for (const [person, handle] of [
        [odin, "odin"],
        [freya, "оdin"],
        [loki, "οdin"],
        [tyr, "admin"]
      ] as const) {
        for (const written of [handle, handle.toUpperCase()]) {
          assert.strictEqual(ok(yield* signIn(written)).id, person.id)
        }
        assertProblem(yield* signIn(handle, "wrong password"), PasswordWrong)
        assert.strictEqual(ok(yield* person.patch("/accounts", { handle, name: "same" })).handle, handle)
      }
      // The oldest of them has the handle in all its spellings.
      assert.strictEqual(ok(yield* signIn("օdin")).id, odin.id)
      assertProblem(yield* signUpAs("оdіn"), HandleTaken, { handle: "оdіn" })
      assertProblem(yield* freya.patch("/accounts", { handle: "odіn" }), HandleTaken, { handle: "odіn" })
      assertProblem(yield* loki.patch("/accounts", { handle: "admin" }), HandleInvalid, {
        handle: "admin",
        rule: "reserved"
      })
      const keys = yield* sql`select handle_key from accounts order by created_at, id`
      assert.deepStrictEqual(
        keys.map(({ handle_key }) => handle_key),
        ["odin", `=${freya.id}`, `=${loki.id}`, "admin"]
      )
    })
  )
})
