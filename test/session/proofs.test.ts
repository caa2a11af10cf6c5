/**
 * What begins a session: passkeys, codes and tokens. Each ends by some of what happens to its account and by nothing
 * else, at once and on every instance.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { CodeWrong } from "../../src/domain/authentication/EmailSignIn.ts"
import { PasskeyNotSet, PasskeyWrong } from "../../src/domain/authentication/Passkey.ts"
import { HandleUnknown, SignInSuspended } from "../../src/domain/authentication/Password.ts"
import { PhoneCodeWrong } from "../../src/domain/authentication/PhoneSignIn.ts"
import { ResetTokenInvalid } from "../../src/domain/authentication/ResetToken.ts"
import { addTo, askForAssertion, sendAssertion, stateOf } from "../passkey/support.ts"
import * as Phones from "../phone/support.ts"
import { type Answer, ok } from "../support/answers.ts"
import { makePasskey } from "../support/authenticator.ts"
import {
  accountOf,
  addressOf,
  askForReset,
  emailMember,
  reset,
  signUpByCode,
  verify
} from "../support/emails.ts"
import { codeTo, tokenTo } from "../support/mails.ts"
import * as People from "../support/people.ts"
import { Cast, guest, type Person, password, personIn, removePassword } from "../support/people.ts"
import { assertProblem, type ProblemClass } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"

const next = "the next password"

type World = HttpClient.HttpClient | SqlClient.SqlClient | Cast

/** Somebody, and a way to begin a session that they have. */
interface Holder {
  readonly person: Person
  readonly handle: string
  readonly use: Effect.Effect<Answer, unknown, World>
  /** Asks for another one of the kind. */
  readonly renew: Effect.Effect<unknown, unknown, World>
}

const kinds = [
  "a passkey",
  "an answer to a challenge",
  "a code",
  "a code by phone",
  "a mailed token",
  "a token of staff"
] as const
type Kind = (typeof kinds)[number]

const withPasskey = Effect.fnUntraced(function* (handle: string) {
  const passkey = makePasskey()
  const person = yield* addTo(yield* emailMember(handle), handle, passkey)
  return { passkey, person }
})

const tokenOfStaff = ({ id }: Person) =>
  Effect.flatMap(Cast, ({ odin }) =>
    Effect.map(odin.post(`/accounts/${id}/auth/password/reset-token`), (answer): string => ok(answer).token)
  )

const holders: Readonly<Record<Kind, (handle: string) => Effect.Effect<Holder, unknown, World>>> = {
  "a passkey": Effect.fnUntraced(function* (handle) {
    const { passkey, person } = yield* withPasskey(handle)
    const use = Effect.gen(function* () {
      const asked = yield* guest.get(`/auth/webauthn/assert/${handle}`)
      if (asked.status !== 200) return asked
      return yield* sendAssertion(passkey.assert(asked.json), stateOf(asked))
    })
    return { person, handle, use, renew: addTo(person, handle) }
  }),
  "an answer to a challenge": Effect.fnUntraced(function* (handle) {
    const { passkey, person } = yield* withPasskey(handle)
    const { options, state } = yield* askForAssertion(handle)
    return {
      person,
      handle,
      use: sendAssertion(passkey.assert(options), state),
      renew: askForAssertion(handle)
    }
  }),
  "a code": Effect.fnUntraced(function* (handle) {
    const person = yield* emailMember(handle)
    const code = yield* codeTo(addressOf(handle))
    const renew = signUpByCode({ email: addressOf(handle) })
    return { person, handle, use: verify(addressOf(handle), code), renew }
  }),
  "a code by phone": Effect.fnUntraced(function* (handle) {
    const number = `+4915${handle.replace(/\D/g, "").padStart(9, "0")}`
    const person = yield* Phones.phoneMember(handle, number)
    ok(yield* person.post("/auth/password", { password }))
    ok(yield* person.post("/accounts/self/emails", { email_address: addressOf(handle) }))
    const renew = Effect.andThen(Effect.map(Phones.askForCode(handle, number), ok), Phones.forgetTexts)
    yield* renew
    return { person, handle, use: Phones.sendBack(handle, yield* Phones.codeTo(number)), renew }
  }),
  "a mailed token": Effect.fnUntraced(function* (handle) {
    const person = yield* emailMember(handle)
    const renew = Effect.map(askForReset(addressOf(handle)), ok)
    yield* renew
    return { person, handle, use: reset(yield* tokenTo(addressOf(handle)), next), renew }
  }),
  "a token of staff": Effect.fnUntraced(function* (handle) {
    const person = yield* emailMember(handle)
    const renew = tokenOfStaff(person)
    return { person, handle, use: reset(yield* renew, next), renew }
  })
}

interface Way {
  readonly name: string
  readonly happen: (holder: Holder, odin: Person) => Effect.Effect<unknown, unknown, World>
  /** How those kinds are refused then that end by it. */
  readonly ends: Partial<Readonly<Record<Kind, ProblemClass<object>>>>
}

const tokens = { "a mailed token": ResetTokenInvalid, "a token of staff": ResetTokenInvalid } as const

const codes = { "a code": CodeWrong, "a code by phone": PhoneCodeWrong } as const

const suspend = ({ handle }: Holder, odin: Person) => Effect.map(odin.post(`/admin/bans/${handle}`), ok)

const removeAddress = Effect.fnUntraced(function* ({ person }: Holder) {
  const [{ id }] = (yield* accountOf(person)).email_addresses
  ok(yield* person.delete(`/accounts/self/emails/${id}`))
})

const removePasskey = Effect.fnUntraced(function* ({ person }: Holder) {
  const { active } = ok(yield* person.get("/accounts/self/auth-methods"))
  for (const { id, provider } of active) {
    if (provider.provider === "webauthn") ok(yield* person.delete(`/accounts/self/auth-methods/${id}`))
  }
})

const removeNumber = Effect.fnUntraced(function* ({ person }: Holder) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{
    readonly id: string
  }>`select id from phone_numbers where account_id = ${person.id}`
  for (const { id } of rows) ok(yield* person.delete(`/accounts/self/auth-methods/${id}`))
})

const ways: ReadonlyArray<Way> = [
  {
    name: "the account is suspended",
    happen: suspend,
    ends: Object.fromEntries(kinds.map((kind) => [kind, SignInSuspended]))
  },
  {
    name: "the account was suspended and is reinstated",
    happen: (holder, odin) =>
      Effect.andThen(suspend(holder, odin), Effect.map(odin.delete(`/admin/bans/${holder.handle}`), ok)),
    ends: {}
  },
  {
    name: "the account is deleted",
    happen: ({ person }) =>
      SqlClient.SqlClient.use((sql) => sql`delete from accounts where id = ${person.id}`),
    ends: {
      ...tokens,
      "a passkey": HandleUnknown,
      "an answer to a challenge": PasskeyWrong,
      "a code": CodeWrong,
      "a code by phone": PhoneCodeWrong
    }
  },
  { name: "its owner signs out", happen: ({ person }) => person.post("/auth/logout"), ends: {} },
  {
    name: "its owner changes the password and ends all sessions",
    happen: ({ person }) =>
      Effect.map(person.patch("/auth/password", { old: password, new: next, revoke_sessions: true }), ok),
    ends: tokens
  },
  {
    name: "the account has no password any more",
    happen: ({ person }) => removePassword(person),
    ends: tokens
  },
  {
    name: "the account has the address no more",
    happen: removeAddress,
    ends: { "a code": CodeWrong, "a mailed token": ResetTokenInvalid }
  },
  {
    name: "the account has the passkey no more",
    happen: removePasskey,
    ends: { "a passkey": PasskeyNotSet, "an answer to a challenge": PasskeyWrong }
  },
  {
    name: "the account has the number no more",
    happen: removeNumber,
    ends: { "a code by phone": PhoneCodeWrong }
  },
  {
    name: "what the account made is purged",
    happen: ({ person }, odin) =>
      Effect.map(
        odin.post("/admin/actions", {
          action: "purge_account",
          account_id: person.id,
          include: ["threads", "profile_bio"]
        }),
        ({ status }) => assert.strictEqual(status, 201)
      ),
    ends: {}
  },
  {
    name: "there is a newer one",
    happen: ({ renew }) => renew,
    ends: { ...tokens, ...codes }
  },
  {
    name: "it has been used",
    happen: ({ use }) => Effect.map(use, ok),
    ends: { ...tokens, ...codes, "an answer to a challenge": PasskeyWrong }
  },
  {
    name: "an hour is over",
    happen: () => TestClock.adjust("1 hour"),
    ends: { ...tokens, ...codes, "an answer to a challenge": PasskeyWrong }
  }
]

for (const [number, kind] of kinds.entries()) {
  layer(Layer.provideMerge(TestApp.uncached, People.layer))(kind, (it) => {
    it.effect.each(ways.map((way, index) => [way.name, way, index] as const))(
      "is as good as it should be when %s",
      ([_, way, index]) =>
        Effect.gen(function* () {
          const { odin } = yield* Cast
          const elsewhere = yield* TestApp.UncachedClient
          const holder = yield* holders[kind](`holder-${number}-${index}`)
          yield* way.happen(holder, odin)
          const refusal = way.ends[kind]
          const there = yield* Effect.provideService(holder.use, HttpClient.HttpClient, elsewhere)
          if (refusal === undefined) {
            assert.deepStrictEqual(ok(there), { id: holder.person.id })
            assert.strictEqual((yield* accountOf(personIn(there))).handle, holder.handle)
          } else {
            for (const answer of [there, yield* holder.use]) assertProblem(answer, refusal)
          }
        })
    )
  })
}
