/** The keys that sign tokens: made once for all instances, replaced without anybody noticing, and read by others. */
import { createHash, createPublicKey, generateKeyPairSync } from "node:crypto"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Deployment } from "../../src/domain/settings/Deployment.ts"
import { AccountId } from "../../src/domain/shared/Id.ts"
import { AccessTokens } from "../../src/domain/signing/AccessTokens.ts"
import { OAuthDisabled } from "../../src/domain/signing/SigningKey.ts"
import { SigningKeys } from "../../src/domain/signing/SigningKeys.ts"
import { SigningSettings } from "../../src/domain/signing/SigningSettings.ts"
import { SecretBox } from "../../src/domain/storage/SecretBox.ts"
import * as AesSecretBox from "../../src/layers/adapters/secrets/AesSecretBox.ts"
import * as JoseTokens from "../../src/layers/adapters/signing/JoseTokens.ts"
import * as StartChecks from "../../src/layers/process/StartChecks.ts"
import { ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast, guest } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"

interface Jwk {
  readonly kid: string
  readonly n: string
  readonly e: string
}

const published = Effect.map(guest.get("/oauth/jwks"), (answer): ReadonlyArray<Jwk> => ok(answer).keys)
const publishedIds = Effect.map(published, (keys) => keys.map(({ kid }) => kid))

const somebody = AccountId.make("00000000000000000000")
const issue = Effect.flatMap(AccessTokens, ({ issue }) => issue({ accountId: somebody, scopes: [] }))
const isFound = (token: Redacted.Redacted<string>) =>
  Effect.map(
    Effect.flatMap(AccessTokens, ({ find }) => find(Redacted.value(token))),
    Option.isSome
  )
const kidOf = (token: Redacted.Redacted<string>): string =>
  JSON.parse(Buffer.from(Redacted.value(token).split(".")[0] ?? "", "base64url").toString()).kid

const rows = SqlClient.SqlClient.use(
  (sql) => sql<{ readonly kid: string; readonly generation: number }>`
    select kid, generation from signing_keys order by generation`
)

const forgetKeys = SqlClient.SqlClient.use((sql) => sql`delete from signing_keys`)

/** Another instance on the same database, with another key for secrets or a signing key of its own. */
const elsewhere = (differences: {
  readonly box?: SecretBox["Service"]
  readonly own?: SigningSettings["Service"]["ownKey"]
  readonly oauthEnabled?: boolean
}) =>
  Layer.fresh(Layer.merge(SigningKeys.layer, AccessTokens.layer)).pipe(
    Layer.provide(
      Layer.mergeAll(
        JoseTokens.layer,
        Layer.succeed(SecretBox, differences.box ?? TestApp.secretBox),
        Layer.succeed(SigningSettings, { accessTokenSeconds: 900, ownKey: differences.own }),
        Layer.succeed(Deployment, {
          ...TestApp.deployment,
          oauthEnabled: differences.oauthEnabled ?? true
        })
      )
    ),
    Layer.provide(Layer.merge(TestApp.randomFrom(9), NodeCrypto.layerDigest))
  )

const foreignBox = AesSecretBox.withKey(Redacted.make(new Uint8Array(32).fill(1)))

layer(People.layer)("the keys that sign tokens", (it) => {
  it.effect("are one, which everybody can read", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const answer = yield* guest.get("/oauth/jwks")
      assert.strictEqual(answer.headers["cache-control"], "public, max-age=900")
      const { keys } = ok(answer)
      assert.lengthOf(keys, 1)
      const { kid, n, ...rest } = keys[0]
      assert.deepStrictEqual(rest, { kty: "RSA", use: "sig", alg: "RS256", e: "AQAB" })
      assert.match(n, /^[A-Za-z0-9_-]{342}$/)
      const der = createPublicKey({ key: keys[0], format: "jwk" }).export({ type: "pkcs1", format: "der" })
      assert.strictEqual(kid, createHash("sha256").update(der).digest("hex").slice(0, 16))
      assert.deepStrictEqual(ok(yield* freya.get("/oauth/jwks")), { keys })
    })
  )

  it.effect("are not stored in a form that can be used", () =>
    Effect.gen(function* () {
      const { signer } = yield* SigningKeys
      const { privateKey } = yield* signer
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ readonly text: string }>`
        select encode(private_key, 'escape') as text from signing_keys`
      assert.notMatch(row?.text ?? "", /PRIVATE KEY/)
      const body = Redacted.value(privateKey).split("\n")[1] ?? ""
      assert.isAbove(body.length, 20)
      assert.notInclude(row?.text ?? "", body)
    })
  )

  it.effect("are one, however many ask for the first at once, on all instances", () =>
    Effect.gen(function* () {
      yield* forgetKeys
      const instances = yield* Effect.forEach(Array.from({ length: 4 }), () => Layer.build(elsewhere({})))
      const asked = Array.from({ length: 48 }, (_, n) => instances[n % instances.length])
      const kids = yield* Effect.forEach(
        asked,
        (instance) =>
          instance === undefined
            ? Effect.die("no instance")
            : Effect.map(
                Effect.flatMap(Effect.provideContext(SigningKeys, instance), ({ signer }) => signer),
                ({ publicKey }) => publicKey.kid
              ),
        { concurrency: "unbounded" }
      )
      const stored = yield* rows
      assert.deepStrictEqual(
        stored.map(({ generation }) => generation),
        [1]
      )
      assert.deepStrictEqual([...new Set(kids)], [stored[0]?.kid])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* publishedIds, [stored[0]?.kid])
    }).pipe(Effect.scoped)
  )

  it.effect("are replaced so that tokens of both are taken until the last of the old one has expired", () =>
    Effect.gen(function* () {
      const { removeExpired, rotate } = yield* SigningKeys
      const before = yield* issue
      const { kid, signsFrom } = yield* rotate()
      assert.strictEqual(
        DateTime.toEpochMillis(signsFrom) - DateTime.toEpochMillis(yield* DateTime.now),
        3_600_000
      )
      const old = kidOf(before.token)
      assert.notStrictEqual(kid, old)
      assert.deepStrictEqual(yield* publishedIds, [old, kid])
      assert.strictEqual(kidOf((yield* issue).token), old)
      assert.strictEqual((yield* Effect.flip(rotate()))._tag, "RotationUnderWay")
      yield* TestClock.adjust("59 minutes")
      yield* TestClock.adjust("59 seconds")
      const last = yield* issue
      assert.strictEqual(kidOf(last.token), old)
      yield* TestClock.adjust("1 second")
      const next = yield* issue
      assert.strictEqual(kidOf(next.token), kid)
      assert.isTrue(yield* isFound(last.token))
      yield* TestClock.adjust("14 minutes")
      assert.isTrue(yield* isFound(last.token))
      assert.deepStrictEqual(yield* publishedIds, [old, kid])
      yield* removeExpired
      assert.lengthOf(yield* rows, 2)
      yield* TestClock.adjust("2 minutes")
      assert.isFalse(yield* isFound(last.token))
      assert.deepStrictEqual(yield* publishedIds, [kid])
      yield* removeExpired
      assert.deepStrictEqual(
        (yield* rows).map((row) => row.kid),
        [kid]
      )
    })
  )

  it.effect("are replaced once by 50 who ask at once", () =>
    Effect.gen(function* () {
      const { rotate } = yield* SigningKeys
      const stored = yield* rows
      // Making a key takes a while; here it is what they find in the database that counts.
      const rotations = yield* Effect.forEach(
        Array.from({ length: 50 }),
        () => Effect.match(rotate(), { onSuccess: () => true, onFailure: () => false }),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(
        rotations.filter((isDone) => isDone),
        1
      )
      assert.lengthOf(yield* rows, stored.length + 1)
    })
  )

  it.effect("are replaced at once where one is known to others, which ends all tokens on all instances", () =>
    Effect.gen(function* () {
      const other = yield* Layer.build(elsewhere({}))
      const { replace } = yield* SigningKeys
      const { token } = yield* issue
      const isFoundThere = (token: Redacted.Redacted<string>) => Effect.provideContext(isFound(token), other)
      assert.isTrue(yield* isFoundThere(token))
      const { kid } = yield* replace()
      assert.deepStrictEqual(yield* publishedIds, [kid])
      assert.isFalse(yield* isFound(token))
      const next = yield* issue
      assert.strictEqual(kidOf(next.token), kid)
      yield* TestClock.adjust("1 second")
      assert.isFalse(yield* isFoundThere(token))
      assert.isTrue(yield* isFoundThere(next.token))
      assert.strictEqual(kidOf((yield* Effect.provideContext(issue, other)).token), kid)
    }).pipe(Effect.scoped)
  )

  it.effect("that are replaced at once end their tokens, also where these were checked before", () =>
    Effect.gen(function* () {
      const { replace } = yield* SigningKeys
      const { token } = yield* issue
      const other = yield* Layer.build(elsewhere({}))
      const isFoundThere = Effect.provideContext(isFound(token), other)
      for (const found of [isFound(token), isFoundThere, isFound(token), isFoundThere]) {
        assert.isTrue(yield* found)
      }
      yield* replace()
      assert.isFalse(yield* isFound(token))
      yield* TestClock.adjust("1 second")
      assert.isFalse(yield* isFoundThere)
      assert.isTrue(yield* isFound((yield* issue).token))
    }).pipe(Effect.scoped)
  )

  it.effect("are not taken from what was stored for another one", () =>
    Effect.gen(function* () {
      const { replace, rotate } = yield* SigningKeys
      yield* replace()
      yield* rotate()
      const sql = yield* SqlClient.SqlClient
      yield* sql`update signing_keys k set private_key =
        (select private_key from signing_keys o where o.kid <> k.kid)`
      const other = yield* Layer.build(elsewhere({}))
      const error = yield* Effect.flip(Effect.provideContext(issue, other))
      assert.strictEqual(error._tag, "SecretUnreadable")
      yield* replace()
    }).pipe(Effect.scoped)
  )
})

layer(People.layer)("an instance that cannot decrypt the keys", (it) => {
  it.effect("still takes tokens and names the keys, signs none, and says at its start what to do", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { token } = yield* issue
      const other = yield* Layer.build(elsewhere({ box: foreignBox }))
      assert.isTrue(yield* Effect.provideContext(isFound(token), other))
      assert.strictEqual((yield* Effect.flip(Effect.provideContext(issue, other)))._tag, "SecretUnreadable")
      const keys = yield* Effect.provideContext(SigningKeys, other)
      assert.lengthOf(yield* keys.published, 1)
      assert.strictEqual((yield* Effect.flip(keys.check))._tag, "SecretUnreadable")
      yield* Layer.build(StartChecks.live).pipe(Effect.provideContext(other))
      const entries = yield* Effect.map(
        odin.get("/admin/audit-events?types=internal_error"),
        (answer) => ok(answer).events
      ).pipe(Effect.repeat({ until: (events) => events.length === 1 }))
      assert.match(
        entries[0].message,
        /^Tokens cannot be signed: .*OAUTH_KEY_ENCRYPTION_KEY.*forum oauth rotate-key --now/
      )
      assert.lengthOf(yield* rows, 1)
      const { kid } = yield* keys.replace()
      assert.strictEqual(kidOf((yield* Effect.provideContext(issue, other)).token), kid)
    }).pipe(Effect.scoped)
  )
})

layer(People.layer)("an instance with a key of its operator", (it) => {
  it.effect("signs with it alone, and makes and replaces none", () =>
    Effect.gen(function* () {
      const pem = generateKeyPairSync("rsa", { modulusLength: 3072 }).privateKey.export({
        type: "pkcs8",
        format: "pem"
      })
      const own = yield* JoseTokens.keyPairOf(Redacted.make(pem.toString()), "operator-1")
      const other = yield* Layer.build(elsewhere({ own }))
      const { token } = yield* Effect.provideContext(issue, other)
      assert.strictEqual(kidOf(token), "operator-1")
      assert.isTrue(yield* Effect.provideContext(isFound(token), other))
      assert.isFalse(yield* isFound(token))
      const keys = yield* Effect.provideContext(SigningKeys, other)
      assert.deepStrictEqual(yield* keys.published, [own.publicKey])
      assert.strictEqual(yield* keys.check, "own")
      for (const change of [keys.rotate(), keys.replace()]) {
        assert.strictEqual((yield* Effect.flip(change))._tag, "OwnKeySigns")
      }
      assert.lengthOf(yield* rows, 0)
    }).pipe(Effect.scoped)
  )
})

layer(TestApp.layerWhere({ oauthEnabled: false }))("an instance without OAuth", (it) => {
  it.effect("names no keys, and makes none at its start", () =>
    Effect.gen(function* () {
      const suggested = "Ask the administrator of the instance to enable OAuth."
      assertProblem(yield* guest.get("/oauth/jwks"), OAuthDisabled, { code: "oauth_disabled", suggested })
      const { prepare } = yield* SigningKeys
      yield* prepare
      assert.lengthOf(yield* rows, 0)
    })
  )
})
