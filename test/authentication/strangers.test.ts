/** Strangers who ask for mails to somebody's address and send wrong codes back, from many networks. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { IpNetwork } from "effect/net"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { CodeWrong } from "../../src/domain/authentication/EmailSignIn.ts"
import { ResetTokenInvalid } from "../../src/domain/authentication/ResetToken.ts"
import { MailLimitReached } from "../../src/domain/mail/Outbox.ts"
import { type Answer, ok } from "../support/answers.ts"
import { accountOf, addressOf } from "../support/emails.ts"
import { codeTo, forgetMails, mailsTo, otherThan, resetPage, tokenTo } from "../support/mails.ts"
import * as People from "../support/people.ts"
import { Cast, call, password, personIn } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"

const proxies = ["127.0.0.0/8", "::1/128"].map((text) => IpNetwork.fromStringUnsafe(text))
const behindProxies = { trustedProxies: proxies }

const home = "203.0.113.1"
const office = "203.0.113.2"
const stranger = (number: number) => `198.51.100.${number}`

/** What a client on this network asks. */
const from = (address: string) => {
  const post = (path: string, body: object) =>
    call("POST", `/api/auth${path}`, { body, headers: { "x-forwarded-for": address } })
  return {
    signUp: (handle: string) => post("/email/signup", { email: addressOf(handle), handle }),
    signUpWithPassword: (handle: string) =>
      post("/email-password/signup", { email: addressOf(handle), handle, password }),
    askForCode: (handle: string) => post("/email/signin", { email: addressOf(handle) }),
    askForReset: (handle: string) =>
      post("/email-password/reset", { email: addressOf(handle), token_url: resetPage }),
    verify: (handle: string, code: string) => post("/email/verify", { email: addressOf(handle), code }),
    reset: (token: string) => post("/password/reset", { token, new: "the next password" })
  }
}

const times = <A, E, R>(count: number, effect: Effect.Effect<A, E, R>) =>
  Effect.forEach(Array(count).keys(), () => effect)

const together = <A, E, R>(effects: ReadonlyArray<Effect.Effect<A, E, R>>) =>
  Effect.all(effects, { concurrency: "unbounded" })

const statuses = (answers: ReadonlyArray<Answer>) =>
  answers.map(({ status }) => status).sort((one, other) => one - other)

/** Signs up from home by a code, which is used: nothing is left of it, and no mail counts any more. */
const settle = Effect.fnUntraced(function* (handle: string, network = home) {
  const person = personIn(yield* from(network).signUp(handle))
  ok(yield* from(network).verify(handle, yield* codeTo(addressOf(handle))))
  yield* forgetMails
  return person
})

const settleWithPassword = Effect.fnUntraced(function* (handle: string) {
  const person = personIn(yield* from(home).signUpWithPassword(handle))
  yield* forgetMails
  return person
})

/** Wrong codes, so many from each of these networks. */
const guess = (handle: string, networks: ReadonlyArray<string>, each: number) =>
  Effect.gen(function* () {
    const wrong = otherThan(yield* codeTo(addressOf(handle)))
    const answers = yield* Effect.forEach(networks, (network) =>
      times(each, from(network).verify(handle, wrong))
    )
    return answers.flat()
  })

const guessesAt = (handle: string) =>
  SqlClient.SqlClient.use((sql) =>
    Effect.map(
      sql<{ readonly n: number }>`select cardinality(guesses) as n from email_codes c
        join account_emails e on e.id = c.email_id where e.address = ${addressOf(handle)}`,
      ([row]) => row?.n
    )
  )

const app = Layer.provideMerge(
  TestApp.uncachedWhere(behindProxies),
  People.withCast(TestApp.layerWhere(behindProxies))
)

layer(app)("mails that strangers ask for", (it) => {
  it.effect("leave a network that has signed in its own places, for codes and for passwords", () =>
    Effect.gen(function* () {
      yield* settle("vali")
      for (let number = 1; number <= 5; number++) ok(yield* from(stranger(number)).askForCode("vali"))
      assertProblem(yield* from(stranger(6)).askForCode("vali"), MailLimitReached, { retry_after: 3600 })
      assertProblem(yield* from(stranger(1)).askForCode("vali"), MailLimitReached)
      for (let number = 1; number <= 5; number++) ok(yield* from(home).askForCode("vali"))
      assertProblem(yield* from(home).askForCode("vali"), MailLimitReached)
      assert.strictEqual((yield* from(stranger(1)).signUp("vali")).status, 403)
      assert.lengthOf(yield* mailsTo(addressOf("vali")), 11)
      ok(yield* from(home).verify("vali", yield* codeTo(addressOf("vali"))))

      yield* settleWithPassword("hod")
      for (let number = 1; number <= 5; number++) ok(yield* from(stranger(number)).askForReset("hod"))
      assertProblem(yield* from(stranger(6)).askForReset("hod"), MailLimitReached)
      ok(yield* from(home).askForReset("hod"))
      ok(yield* from(home).reset(yield* tokenTo(addressOf("hod"))))
    })
  )

  it.effect("leave places to the owner's session and to staff, wherever they are", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const idun = yield* settleWithPassword("idun")
      for (let number = 1; number <= 5; number++) ok(yield* from(stranger(number)).askForReset("idun"))
      ok(
        yield* idun.post(
          "/accounts/self/emails",
          { email_address: addressOf("idun") },
          {
            "x-forwarded-for": office
          }
        )
      )
      const [{ id }] = (yield* accountOf(idun)).email_addresses
      const staffMail = odin.post(`/accounts/${idun.id}/auth/email-password/reset`, {
        email_address_id: id,
        token_url: resetPage
      })
      assert.strictEqual((yield* staffMail).status, 204)
      assertProblem(yield* from(office).askForReset("idun"), MailLimitReached)
    })
  )

  it.effect("are twenty in an hour at the most, with those of all networks that signed in", () =>
    Effect.gen(function* () {
      const networks = [1, 2, 3, 4, 5].map((number) => `203.0.113.${number}`)
      yield* settle("bragi")
      for (const network of networks.slice(1)) {
        ok(yield* from(network).askForCode("bragi"))
        ok(yield* from(network).verify("bragi", yield* codeTo(addressOf("bragi"))))
      }
      yield* forgetMails
      const before = (yield* mailsTo(addressOf("bragi"))).length
      const asked = yield* together(
        networks.flatMap((network) => Array.from({ length: 7 }, () => from(network).askForCode("bragi")))
      )
      assert.deepStrictEqual([...new Set(statuses(asked))], [200, 403])
      assert.lengthOf(yield* mailsTo(addressOf("bragi")), before + 20)
      // Strangers as well have none left now; all have some when the hour is over.
      const refused = yield* from(stranger(1)).askForCode("bragi")
      assertProblem(refused, MailLimitReached, { retry_after: 3600 })
      yield* TestClock.adjust("1 hour")
      ok(yield* from(stranger(1)).askForCode("bragi"))
      ok(yield* from(home).askForCode("bragi"))
    })
  )

  it.effect("count as those of strangers ninety days after the last sign-in", () =>
    Effect.gen(function* () {
      yield* settle("mimir")
      yield* TestClock.adjust("91 days")
      for (let number = 1; number <= 5; number++) ok(yield* from(stranger(number)).askForCode("mimir"))
      assertProblem(yield* from(home).askForCode("mimir"), MailLimitReached)
      yield* TestClock.adjust("1 hour")
      ok(yield* from(home).askForCode("mimir"))
      ok(yield* from(home).verify("mimir", yield* codeTo(addressOf("mimir"))))
      yield* times(5, from(stranger(1)).askForCode("mimir"))
      ok(yield* from(home).askForCode("mimir"))
    })
  )
})

layer(app)("a code that somebody else asks for too", (it) => {
  it.effect("is sent again, and stays good", () =>
    Effect.gen(function* () {
      const asking = { vili: from(stranger(1)).askForCode, borr: from(stranger(1)).signUp }
      for (const [handle, ask] of Object.entries(asking)) {
        yield* settle(handle)
        ok(yield* from(home).askForCode(handle))
        const code = yield* codeTo(addressOf(handle))
        yield* times(4, ask(handle))
        assert.strictEqual(yield* codeTo(addressOf(handle)), code)
        // The owner is not alone any more.
        ok(yield* from(home).askForCode(handle))
        assert.strictEqual(yield* codeTo(addressOf(handle)), code)
        ok(yield* from(home).verify(handle, code))
        assertProblem(yield* from(home).verify(handle, code), CodeWrong)
      }
    })
  )

  it.effect("is a new one for who asks alone, and ends the one before", () =>
    Effect.gen(function* () {
      yield* settle("hel")
      ok(yield* from(home).askForCode("hel"))
      const first = yield* codeTo(addressOf("hel"))
      ok(yield* from(home).askForCode("hel"))
      const second = yield* codeTo(addressOf("hel"))
      assert.notStrictEqual(second, first)
      assertProblem(yield* from(home).verify("hel", first), CodeWrong)
      ok(yield* from(home).verify("hel", second))
    })
  )

  it.effect("is the same when the owner asks after a stranger, also at a new place", () =>
    Effect.gen(function* () {
      yield* settle("ran")
      for (const place of [home, "203.0.113.200"]) {
        ok(yield* from(stranger(1)).askForCode("ran"))
        ok(yield* from(place).askForCode("ran"))
        const code = yield* codeTo(addressOf("ran"))
        ok(yield* from(stranger(1)).askForCode("ran"))
        ok(yield* from(place).verify("ran", code))
        yield* forgetMails
      }
    })
  )

  it.effect("keeps its hour, and is a new one in the last ten minutes of it", () =>
    Effect.gen(function* () {
      yield* settle("sol")
      ok(yield* from(home).askForCode("sol"))
      const first = yield* codeTo(addressOf("sol"))
      yield* TestClock.adjust("50 minutes")
      ok(yield* from(stranger(1)).askForCode("sol"))
      const [mail] = (yield* mailsTo(addressOf("sol"))).toReversed()
      assert.include(mail?.text_body, first)
      assert.include(mail?.text_body, "valid for 10 minutes")
      yield* TestClock.adjust("1 second")
      ok(yield* from(stranger(1)).askForCode("sol"))
      const second = yield* codeTo(addressOf("sol"))
      assert.notStrictEqual(second, first)
      assertProblem(yield* from(home).verify("sol", first), CodeWrong)
      yield* TestClock.adjust("59 minutes")
      ok(yield* from(home).verify("sol", second))
    })
  )

  it.effect("is one of several requests at the same time, on two instances", () =>
    Effect.gen(function* () {
      yield* settle("mani")
      const other = yield* TestApp.UncachedClient
      const networks = [home, stranger(1), stranger(2), stranger(3)]
      const asked = yield* together(
        networks.map((network, number) => {
          const ask = from(network).askForCode("mani")
          return number % 2 === 0 ? ask : Effect.provideService(ask, HttpClient.HttpClient, other)
        })
      )
      assert.deepStrictEqual(statuses(asked), [200, 200, 200, 200])
      const mails = (yield* mailsTo(addressOf("mani"))).slice(-4)
      const codes = new Set(mails.map(({ text_body }) => /account: (\d{6})/.exec(text_body)?.[1]))
      assert.strictEqual(codes.size, 1)
      ok(yield* from(home).verify("mani", yield* codeTo(addressOf("mani"))))
    })
  )

  it.effect("of a link to set a password leaves the other links as good", () =>
    Effect.gen(function* () {
      yield* settleWithPassword("gerd")
      ok(yield* from(home).askForReset("gerd"))
      const first = yield* tokenTo(addressOf("gerd"))
      yield* times(5, from(stranger(1)).askForReset("gerd"))
      const strangers = yield* tokenTo(addressOf("gerd"))
      ok(yield* from(home).askForReset("gerd"))
      const second = yield* tokenTo(addressOf("gerd"))
      // Who asks again ends the own one; of the others each is good, until one sets a password.
      assertProblem(yield* from(home).reset(first), ResetTokenInvalid)
      ok(yield* from(home).reset(second))
      assertProblem(yield* from(home).reset(strangers), ResetTokenInvalid)
    })
  )

  it.effect("of a link to set a password outlives one that a stranger asks for", () =>
    Effect.gen(function* () {
      yield* settleWithPassword("nanna")
      ok(yield* from(home).askForReset("nanna"))
      const token = yield* tokenTo(addressOf("nanna"))
      yield* together([1, 2, 3].map((number) => from(stranger(number)).askForReset("nanna")))
      ok(yield* from(home).reset(token))
    })
  )
})

layer(app)("wrong codes of strangers", (it) => {
  it.effect("use up their own attempts, and not those of others", () =>
    Effect.gen(function* () {
      yield* settle("baldur")
      ok(yield* from(home).askForCode("baldur"))
      const code = yield* codeTo(addressOf("baldur"))
      yield* guess("baldur", [stranger(1)], 5)
      assertProblem(yield* from(stranger(1)).verify("baldur", code), CodeWrong)
      ok(yield* from(stranger(2)).verify("baldur", code))
    })
  )

  it.effect("leave a network that has signed in its five, however many networks guess", () =>
    Effect.gen(function* () {
      yield* settle("sif")
      ok(yield* from(home).askForCode("sif"))
      const code = yield* codeTo(addressOf("sif"))
      const strangers = Array.from({ length: 30 }, (_, number) => stranger(number + 1))
      for (const answer of yield* guess("sif", strangers, 5)) assert.include([401, 429], answer.status)
      assert.strictEqual(yield* guessesAt("sif"), 20)
      assertProblem(yield* from(stranger(99)).verify("sif", code), CodeWrong)
      yield* guess("sif", [home], 4)
      ok(yield* from(home).verify("sif", code))
    })
  )

  it.effect("are twenty in an hour for an address, also at new codes, and at the same time", () =>
    Effect.gen(function* () {
      yield* settle("hermod")
      ok(yield* from(stranger(1)).askForCode("hermod"))
      const other = yield* TestApp.UncachedClient
      const wrong = otherThan(yield* codeTo(addressOf("hermod")))
      yield* together(
        Array.from({ length: 40 }, (_, number) => {
          const one = from(stranger(2 + (number % 10))).verify("hermod", wrong)
          return number % 2 === 0 ? one : Effect.provideService(one, HttpClient.HttpClient, other)
        })
      )
      assert.strictEqual(yield* guessesAt("hermod"), 20)
      const first = yield* codeTo(addressOf("hermod"))
      ok(yield* from(stranger(1)).askForCode("hermod"))
      const second = yield* codeTo(addressOf("hermod"))
      assert.notStrictEqual(second, first)
      assertProblem(yield* from(stranger(1)).verify("hermod", second), CodeWrong)
      assert.strictEqual(yield* guessesAt("hermod"), 20)

      // The owner is not among them.
      yield* guess("hermod", [home], 4)
      // An hour after the first of them strangers have some again.
      yield* TestClock.adjust("1 hour")
      ok(yield* from(stranger(1)).askForCode("hermod"))
      assert.strictEqual(yield* guessesAt("hermod"), 0)
      ok(yield* from(stranger(1)).verify("hermod", yield* codeTo(addressOf("hermod"))))
    })
  )

  it.effect("are ten from one network in an hour, with a new code between them", () =>
    Effect.gen(function* () {
      yield* settle("surt")
      const alone = stranger(1)
      for (let round = 0; round < 2; round++) {
        ok(yield* from(alone).askForCode("surt"))
        const answers = yield* guess("surt", [alone], 6)
        for (const answer of answers) assertProblem(answer, CodeWrong)
        assert.strictEqual(yield* guessesAt("surt"), 5 * (round + 1))
      }
      yield* TestClock.adjust("16 minutes")
      ok(yield* from(alone).askForCode("surt"))
      const code = yield* codeTo(addressOf("surt"))
      assertProblem(yield* from(alone).verify("surt", code), CodeWrong)
      assert.strictEqual(yield* guessesAt("surt"), 10)
      ok(yield* from(stranger(2)).verify("surt", code))
    })
  )

  it.effect("end no code: who has signed in before gets a new one only for the own five", () =>
    Effect.gen(function* () {
      yield* settle("forseti")
      ok(yield* from(home).askForCode("forseti"))
      const code = yield* codeTo(addressOf("forseti"))
      ok(yield* from(stranger(1)).askForCode("forseti"))
      yield* guess("forseti", [stranger(1)], 5)
      ok(yield* from(stranger(1)).askForCode("forseti"))
      assert.strictEqual(yield* codeTo(addressOf("forseti")), code)
      yield* guess("forseti", [home], 5)
      assertProblem(yield* from(home).verify("forseti", code), CodeWrong)
      ok(yield* from(home).askForCode("forseti"))
      const next = yield* codeTo(addressOf("forseti"))
      assert.notStrictEqual(next, code)
      yield* guess("forseti", [home], 4)
      ok(yield* from(home).verify("forseti", next))
    })
  )

  it.effect("of networks that have signed in are twenty at a code", () =>
    Effect.gen(function* () {
      const networks = [11, 12, 13, 14, 15].map((number) => `203.0.113.${number}`)
      yield* settle("njord", networks[0])
      for (const network of networks.slice(1)) {
        ok(yield* from(network).askForCode("njord"))
        ok(yield* from(network).verify("njord", yield* codeTo(addressOf("njord"))))
      }
      yield* forgetMails
      ok(yield* from(home).askForCode("njord"))
      const code = yield* codeTo(addressOf("njord"))
      yield* guess("njord", networks.slice(0, 4), 5)
      assertProblem(yield* from(networks[4] ?? "").verify("njord", code), CodeWrong)
      assert.strictEqual(yield* guessesAt("njord"), 20)
      ok(yield* from(home).verify("njord", code))
    })
  )

  it.effect("are counted in the same way at an address that an account adds", () =>
    Effect.gen(function* () {
      const skadi = yield* settle("skadi")
      const added = { email_address: "skadi@vanaheim.example" }
      ok(yield* skadi.post("/accounts/self/emails", added, { "x-forwarded-for": home }))
      const code = yield* codeTo(added.email_address)
      const verifyFrom = (network: string, code: string) =>
        call("POST", "/api/auth/email/verify", {
          body: { email: added.email_address, code },
          headers: { "x-forwarded-for": network }
        })
      yield* times(5, verifyFrom(stranger(1), otherThan(code)))
      assertProblem(yield* verifyFrom(stranger(1), code), CodeWrong)
      // A stranger asks for it as well: it stays.
      yield* call("POST", "/api/auth/email/signup", {
        body: { email: added.email_address },
        headers: { "x-forwarded-for": stranger(2) }
      })
      assert.strictEqual(yield* codeTo(added.email_address), code)
      ok(yield* verifyFrom(home, code))
    })
  )
})
