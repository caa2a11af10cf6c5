/** Access tokens: which ones the service signs, and which of those that it is shown it takes for its own. */
import { createPublicKey, generateKeyPairSync } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Option, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { createLocalJWKSet, jwtVerify } from "jose"
import { AccountId } from "../../src/domain/shared/Id.ts"
import { AccessTokens } from "../../src/domain/signing/AccessTokens.ts"
import { SigningKeys } from "../../src/domain/signing/SigningKeys.ts"
import { scopes } from "../../src/domain/vocabulary/Scope.ts"
import { ok } from "../support/answers.ts"
import { partsOf, signed, signedByMac, signingKey, unsigned } from "../support/jwts.ts"
import * as People from "../support/people.ts"
import { Cast, guest } from "../support/people.ts"
import * as TestApp from "../support/TestApp.ts"

const issueFor = (accountId: string, given: Parameters<AccessTokens["Service"]["issue"]>[0]["scopes"] = []) =>
  Effect.flatMap(AccessTokens, ({ issue }) => issue({ accountId: AccountId.make(accountId), scopes: given }))

const find = (token: string) => Effect.flatMap(AccessTokens, ({ find }) => find(token))

layer(People.layer)("an access token", (it) => {
  it.effect("says who may do what until when, and is signed by a key that others can read", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const now = Math.floor(DateTime.toEpochMillis(yield* DateTime.now) / 1000)
      const { expiresAt, id, token } = yield* issueFor(freya.id, ["openid", "CREATE_POST"])
      const { claims, header } = partsOf(Redacted.value(token))
      const keySet = ok(yield* guest.get("/oauth/jwks"))
      assert.deepStrictEqual(header, { alg: "RS256", kid: keySet.keys[0].kid })
      assert.deepStrictEqual(claims, {
        iss: "http://forum.test",
        sub: freya.id,
        aud: "http://forum.test/api",
        exp: now + 900,
        iat: now,
        jti: id,
        scope: "openid CREATE_POST"
      })
      assert.match(id, /^[A-Za-z0-9_-]{16}$/)
      assert.strictEqual(DateTime.toEpochMillis(expiresAt), (now + 900) * 1000)
      const verified = yield* Effect.promise(() =>
        jwtVerify(Redacted.value(token), createLocalJWKSet(keySet), { currentDate: new Date(now * 1000) })
      )
      assert.strictEqual(verified.payload.sub, freya.id)
    })
  )

  it.effect("is found with what it says, with any scopes, and has an id of its own", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const ids = new Set<string>()
      for (const given of [[], ["openid"], scopes] as const) {
        const issued = yield* issueFor(freya.id, given)
        const found = yield* find(Redacted.value(issued.token))
        const { seconds: _, token: __, ...said } = issued
        assert.deepStrictEqual(found, Option.some(said))
        ids.add(issued.id)
      }
      assert.strictEqual(ids.size, 3)
    })
  )

  it.effect("does not appear where what was issued is printed", () =>
    Effect.gen(function* () {
      const issued = yield* issueFor((yield* Cast).freya.id)
      assert.notInclude(JSON.stringify(issued), Redacted.value(issued.token))
      assert.notInclude(String(issued.token), Redacted.value(issued.token))
    })
  )

  it.effect("is not found from the second on in which it expires", () =>
    Effect.gen(function* () {
      const { token } = yield* issueFor((yield* Cast).freya.id)
      yield* TestClock.adjust("14 minutes")
      yield* TestClock.adjust("59 seconds")
      assert.isTrue(Option.isSome(yield* find(Redacted.value(token))))
      yield* TestClock.adjust("1 second")
      assert.isTrue(Option.isNone(yield* find(Redacted.value(token))))
    })
  )

  it.effect("is not found where any claim is missing or another one, though the signature is good", () =>
    Effect.gen(function* () {
      const { token } = yield* issueFor((yield* Cast).freya.id, ["openid"])
      const { claims, header } = partsOf(Redacted.value(token))
      const key = yield* signingKey
      assert.isTrue(Option.isSome(yield* find(signed(key, header, claims))))
      const wrong: ReadonlyArray<readonly [claim: string, value: unknown]> = [
        ["iss", "http://forum.test/"],
        ["iss", "http://evil.test"],
        ["iss", ["http://forum.test"]],
        ["aud", "http://forum.test"],
        ["aud", "http://forum.test/api/"],
        ["aud", "some-client"],
        ["aud", ["http://forum.test/api", "http://evil.test"]],
        ["sub", "freya"],
        ["sub", ""],
        ["sub", 7],
        ["exp", 0],
        ["exp", "soon"],
        ["exp", claims.exp + 0.5],
        ["iat", "now"],
        ["jti", ""],
        ["jti", "too short"],
        ["jti", 7],
        ["scope", "openid nonsense"],
        ["scope", "openid openid"],
        ["scope", ["openid"]],
        ["nbf", claims.exp],
        ["nbf", "now"]
      ]
      for (const [claim, value] of wrong) {
        const found = yield* find(signed(key, header, { ...claims, [claim]: value }))
        assert.isTrue(Option.isNone(found), `${claim}: ${JSON.stringify(value)}`)
      }
      for (const claim of Object.keys(claims)) {
        const { [claim]: _, ...others } = claims
        assert.isTrue(Option.isNone(yield* find(signed(key, header, others))), `without ${claim}`)
      }
      for (const odd of [null, [], "text", 7]) {
        assert.isTrue(Option.isNone(yield* find(signed(key, header, odd))), JSON.stringify(odd))
      }
    })
  )

  it.effect("is not found where its header names another algorithm or another key, or asks for more", () =>
    Effect.gen(function* () {
      const { token } = yield* issueFor((yield* Cast).freya.id)
      const { claims, header } = partsOf(Redacted.value(token))
      const key = yield* signingKey
      const stranger = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey
      const jwk = createPublicKey(stranger).export({ format: "jwk" })
      const publicPem = createPublicKey(key).export({ type: "spki", format: "pem" })
      const tokens: Readonly<Record<string, string>> = {
        "no algorithm": unsigned({ ...header, alg: "none" }, claims),
        "a shared secret": signedByMac(publicPem, { ...header, alg: "HS256" }, claims),
        "another algorithm of the key": signed(key, { ...header, alg: "PS256" }, claims),
        "another hash": signed(key, { ...header, alg: "RS512" }, claims),
        "no key": signed(key, { alg: "RS256" }, claims),
        "an unknown key": signed(key, { ...header, kid: "0000000000000000" }, claims),
        "a key that is no text": signed(key, { ...header, kid: 7 }, claims),
        "a critical extension": signed(key, { ...header, crit: ["b64"], b64: false }, claims),
        "a key of its own": signed(stranger, { ...header, jwk }, claims),
        "the signature of a stranger": signed(stranger, header, claims)
      }
      for (const [name, text] of Object.entries(tokens)) {
        assert.isTrue(Option.isNone(yield* find(text)), name)
      }
    })
  )

  it.effect("is not found where a character of it is another, nor is what is no token", () =>
    Effect.gen(function* () {
      const token = Redacted.value((yield* issueFor((yield* Cast).freya.id)).token)
      // The last character, too: some of its bits belong to nothing, and another may stand for the same bytes.
      const places = [
        ...Array.from({ length: Math.ceil(token.length / 7) }, (_, n) => n * 7),
        token.length - 1
      ]
      const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
      for (const place of places) {
        const other = letters[(letters.indexOf(token[place] ?? "") + 1) % letters.length]
        const changed = `${token.slice(0, place)}${other}${token.slice(place + 1)}`
        assert.isTrue(Option.isNone(yield* find(changed)), `at ${place}`)
      }
      const odd = ["", "ey", "ey.ey.ey", "..", token.slice(0, -1), `${token}.`, ` ${token}`, `${token}\n`]
      for (const text of [...odd, `${token}${"A".repeat(4096)}`, "ey".repeat(100_000)]) {
        assert.isTrue(Option.isNone(yield* find(text)), text.slice(0, 80))
      }
    })
  )
})

layer(TestApp.layer)("an instance that has signed nothing", (it) => {
  it.effect("makes no key because somebody shows it a token", () =>
    Effect.gen(function* () {
      const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
      const header = { alg: "RS256", kid: "0000000000000000" }
      assert.isTrue(Option.isNone(yield* find(signed(privateKey, header, {}))))
      const { check } = yield* SigningKeys
      assert.strictEqual(yield* check, 0)
    })
  )
})

layer(TestApp.layerWhere({ oauthEnabled: false }))("an instance without OAuth", (it) => {
  it.effect("takes no token, not even one that it has signed", () =>
    Effect.gen(function* () {
      const { token } = yield* issueFor("00000000000000000000")
      assert.isTrue(Option.isNone(yield* find(Redacted.value(token))))
    })
  )
})
