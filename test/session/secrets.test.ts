/** What nobody but its owner may know is in no log, in no trace, and in no answer that refuses it. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { addTo, askForAssertion, sendAssertion } from "../passkey/support.ts"
import { ok } from "../support/answers.ts"
import { makePasskey } from "../support/authenticator.ts"
import { addressOf, askForReset, emailMember, reset, signInByEmail, verify } from "../support/emails.ts"
import * as Logs from "../support/logs.ts"
import { tokenTo } from "../support/mails.ts"
import * as People from "../support/people.ts"
import { guest, password, personIn, signIn } from "../support/people.ts"
import * as Spans from "../support/spans.ts"

const secrets = { wrong: "a guess at the password", short: "shorty", next: "the next password of freya" }

const watched = Layer.provideMerge(People.layer, Layer.merge(Logs.layer, Spans.layer))

const assertUnsaid = (texts: ReadonlyArray<string>, ...unsaid: ReadonlyArray<string | undefined>) => {
  for (const secret of unsaid) {
    assert.isAtLeast(secret?.length ?? 0, 6)
    for (const text of texts) assert.notInclude(text, secret ?? "")
  }
}

const said = Effect.gen(function* () {
  const lines = (yield* Logs.Logs).map(({ text }) => text)
  const spans = yield* Spans.Spans
  assert.isAbove(lines.length, 5)
  assert.isAbove(spans.length, 20)
  return [...lines, ...spans]
})

layer(watched)("a secret", (it) => {
  it.effect("is kept, whichever it is and however its request ends", () =>
    Effect.gen(function* () {
      const passkey = makePasskey()
      const freya = yield* addTo(yield* emailMember("freyja"), "freyja", passkey)
      ok(yield* askForReset(addressOf("freyja")))
      const token = yield* tokenTo(addressOf("freyja"))
      const { options, state } = yield* askForAssertion("freyja")
      const byPasskey = yield* sendAssertion(passkey.assert(options), state)
      ok(byPasskey)
      const { next, short, wrong } = secrets
      const refused = [
        yield* signIn("freyja", wrong),
        yield* signIn("freyja", short),
        yield* signIn("nobody-of-this-name", wrong),
        yield* signIn({ name: password }, password),
        yield* signInByEmail(addressOf("freyja"), wrong),
        yield* signInByEmail(password, password),
        yield* guest.post("/auth/password/signup", { identifier: "freyja", token: password }),
        yield* guest.post("/auth/password/signup", `{"identifier":"x","token":"${password}"`),
        yield* freya.patch("/auth/password", { old: wrong, new: next }),
        yield* freya.patch("/auth/password", { old: password, new: short }),
        yield* freya.patch("/auth/password", { old: [password], new: next }),
        yield* freya.post("/auth/password", { password: next }),
        yield* reset(token, short),
        yield* reset(`${token}x`, next),
        yield* verify(addressOf("freyja"), token),
        yield* sendAssertion(passkey.assert(options), state),
        yield* freya.get("/nothing")
      ]
      for (const { request, status, text } of refused) {
        assert.isAtLeast(status, 400, request)
        assertUnsaid([text], token, password, wrong, short, next, freya.cookie, state)
      }
      const byReset = yield* reset(token, next)
      ok(byReset)
      ok(yield* personIn(byReset).get("/accounts"))
      assertUnsaid(
        yield* said,
        token,
        password,
        wrong,
        short,
        next,
        state,
        ...[freya, personIn(byPasskey), personIn(byReset)].map(({ cookie }) => cookie)
      )
    })
  )
})
