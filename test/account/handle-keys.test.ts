/** Which handles are one, and which nobody may have. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HandleInvalid, HandleTaken } from "../../src/domain/account/Account.ts"
import { HandleUnknown } from "../../src/domain/authentication/Password.ts"
import { ok } from "../support/answers.ts"
import { open } from "../support/discussion.ts"
import { accountOf, signUpByCode } from "../support/emails.ts"
import * as People from "../support/people.ts"
import { Cast, guest, password, personIn, query, signIn, signUp } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"

const signUpAs = (identifier: string) => guest.post("/auth/password/signup", { identifier, token: password })

const reserved = ["me", "self", "admin", "administrator", "system", "guest", "null", "undefined"]

/** Another text that looks like this one: one letter of it is Cyrillic. */
const lookingLike = (text: string) => {
  const [ascii, cyrillic] = ["acdehijops", Array.from("асԁеһіјорѕ")]
  return text.replace(/[acdehijops]/, (letter) => cyrillic[ascii.indexOf(letter)] ?? letter)
}

layer(People.layer)("handles", (it) => {
  it.effect("that are reserved words or look like one are refused, and no others", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      for (const handle of [...reserved, "Admin", "аdmin", "ѕеlf"]) {
        const broken = { handle: handle.toLowerCase(), rule: "reserved" } as const
        assertProblem(yield* signUpAs(handle), HandleInvalid, broken)
        assertProblem(yield* freya.patch("/accounts", { handle }), HandleInvalid, broken)
      }
      const words = ["moderator", "staff", "support", "root", "api", "everyone"]
      for (const handle of [...words, "admins", "me2", "v".repeat(20), "d0q2m9k7h4v8s6e3b1c0"]) {
        yield* signUp(handle)
      }
    })
  )

  it.effect("may be reserved by the instance, for those who do not have them", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      assert.deepStrictEqual(ok(yield* odin.get("/admin")).reserved_handles, [])
      const owner = yield* signUp("council")
      const changed = ok(yield* odin.patch("/admin", { reserved_handles: ["Council", "council", "elders"] }))
      assert.deepStrictEqual(changed.reserved_handles, ["council", "elders"])
      assert.deepStrictEqual(ok(yield* odin.get("/admin")).reserved_handles, ["council", "elders"])
      assert.notProperty(ok(yield* guest.get("/info")), "reserved_handles")
      for (const handle of ["elders", "ELDERS", "еlders"]) {
        const broken = { handle: handle.toLowerCase(), rule: "reserved" } as const
        assertProblem(yield* signUpAs(handle), HandleInvalid, broken)
        assertProblem(yield* freya.patch("/accounts", { handle }), HandleInvalid, broken)
        assertProblem(yield* odin.post("/accounts", { handle }), HandleInvalid, broken)
        assertProblem(yield* guest.get(`/auth/webauthn/make/${encodeURI(handle)}`), HandleInvalid, broken)
      }
      ok(yield* owner.patch("/accounts", { handle: "council", name: "Still here" }))
      // What a request leaves out stays; a list is replaced.
      assert.lengthOf(ok(yield* odin.patch("/admin", { title: "Forum" })).reserved_handles, 2)
      const many = Array.from({ length: 201 }, (_, n) => `word${n}`)
      assertInvalid(yield* odin.patch("/admin", { reserved_handles: many }), "body reserved_handles")
      assertInvalid(
        yield* odin.patch("/admin", { reserved_handles: ["x".repeat(31)] }),
        "body reserved_handles.0"
      )
      assertInvalid(yield* odin.patch("/admin", { reserved_handles: "x" }), "body reserved_handles")
      ok(yield* odin.patch("/admin", { reserved_handles: [] }))
      yield* signUp("elders")
    })
  )

  it.effect("that the instance reserves are not generated either", () =>
    Effect.gen(function* () {
      /** What a new instance generates, where the same numbers are drawn each time. */
      const generated = (...reserved: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          const { odin } = yield* Cast
          ok(yield* odin.patch("/admin", { reserved_handles: reserved }))
          const answer = yield* signUpByCode({ email: "somebody@asgard.example" })
          return String((yield* accountOf(personIn(answer))).handle)
        }).pipe(Effect.provide(Layer.fresh(People.layer)))
      const usual = yield* generated("elders")
      assert.match(usual, /^[a-z]+-[a-z]+$/)
      assert.strictEqual(yield* generated("others"), usual)
      const other = yield* generated("others", usual)
      assert.match(other, /^[a-z]+-[a-z]+$/)
      assert.notStrictEqual(other, usual)
    })
  )

  it.effect("in the form of an id never lead to another account, and never hide one", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      for (const handle of [freya.id, freya.id.toUpperCase()]) {
        const taken = { handle: freya.id }
        assertProblem(yield* signUpAs(handle), HandleTaken, taken)
        assertProblem(yield* loki.patch("/accounts", { handle }), HandleTaken, taken)
        assertProblem(yield* odin.patch(`/accounts/${loki.id}`, { handle }), HandleTaken, taken)
        assertProblem(yield* odin.post("/accounts", { handle }), HandleTaken, taken)
      }
      // One's own id leads to oneself either way.
      assert.strictEqual(ok(yield* freya.patch("/accounts", { handle: freya.id })).handle, freya.id)
      assert.strictEqual(ok(yield* guest.get(`/profiles/${freya.id}`)).id, freya.id)
      ok(yield* freya.patch("/accounts", { handle: "freya" }))
      // One may look like an id: what is done by the id is done to whose id it is.
      const alike = lookingLike(freya.id)
      assert.notStrictEqual(alike, freya.id)
      assert.strictEqual(ok(yield* loki.patch("/accounts", { handle: alike })).handle, alike)
      assert.strictEqual(ok(yield* guest.get(`/profiles/${encodeURI(alike)}`)).id, loki.id)
      assert.strictEqual(ok(yield* guest.get(`/profiles/${freya.id}`)).id, freya.id)
      yield* open(loki, "By Loki")
      assert.lengthOf(ok(yield* guest.get(`/datagraph${query({ authors: alike })}`)).items, 1)
      assert.lengthOf(ok(yield* guest.get(`/datagraph${query({ authors: freya.id })}`)).items, 0)
      ok(yield* odin.post(`/admin/bans/${freya.id}`))
      assert.property(ok(yield* guest.get(`/profiles/${freya.id}`)), "suspended")
      assert.notProperty(ok(yield* guest.get(`/profiles/${loki.id}`)), "suspended")
      ok(yield* odin.delete(`/admin/bans/${freya.id}`))
      ok(yield* loki.patch("/accounts", { handle: "loki" }))
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
