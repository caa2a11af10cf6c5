/** Secrets that are encrypted, and the key that does it. */
import { randomBytes } from "node:crypto"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as AesSecretBox from "../../src/layers/adapters/secrets/AesSecretBox.ts"
import { getKey, isOpenToOthers, keyFileIn } from "../../src/layers/adapters/secrets/EncryptionKeyFile.ts"

const directory = mkdtempSync(join(tmpdir(), "forum-secrets-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

let places = 0
const newPlace = () => join(directory, String(places++), "data")

const boxWith = (key: Uint8Array) => AesSecretBox.withKey(Redacted.make(key))
const secret = Redacted.make("a secret: ünïcode, too")

describe("a secret", () => {
  const key = randomBytes(32)
  const box = boxWith(key)

  it.effect("is read again for the purpose that it was encrypted for, and for no other", () =>
    Effect.gen(function* () {
      for (const text of ["", "x", Redacted.value(secret), "y".repeat(10_000)]) {
        const sealed = yield* box.seal("one", Redacted.make(text))
        assert.strictEqual(Redacted.value(yield* box.open("one", sealed)), text)
        assert.strictEqual((yield* Effect.flip(box.open("two", sealed)))._tag, "SecretUnreadable")
      }
    })
  )

  it.effect("is not read with another key", () =>
    Effect.gen(function* () {
      const sealed = yield* box.seal("one", secret)
      const error = yield* Effect.flip(boxWith(randomBytes(32)).open("one", sealed))
      assert.strictEqual(error._tag, "SecretUnreadable")
      assert.include(error.message, "OAUTH_KEY_ENCRYPTION_KEY")
      assert.notInclude(error.message, "\n")
    })
  )

  it.effect("is not read where one bit of it is another, or some of it is missing", () =>
    Effect.gen(function* () {
      const sealed = yield* box.seal("one", Redacted.make("short"))
      for (let bit = 0; bit < sealed.length * 8; bit++) {
        const other = Uint8Array.from(sealed)
        other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        assert.strictEqual((yield* Effect.flip(box.open("one", other)))._tag, "SecretUnreadable")
      }
      for (let length = 0; length < sealed.length; length++) {
        const error = yield* Effect.flip(box.open("one", sealed.subarray(0, length)))
        assert.strictEqual(error._tag, "SecretUnreadable")
      }
    })
  )

  it.effect("is never the same twice, nor found in what is stored", () =>
    Effect.gen(function* () {
      const stored = [yield* box.seal("one", secret), yield* box.seal("one", secret)]
      assert.notDeepEqual(stored[0], stored[1])
      for (const sealed of stored) {
        assert.notInclude(Buffer.from(sealed).toString("latin1"), "a secret")
      }
    })
  )
})

describe("the key in the data directory", () => {
  it.effect("is made with the first secret, for its owner alone, and stays", () =>
    Effect.gen(function* () {
      const path = keyFileIn(newPlace())
      const sealed = yield* AesSecretBox.withFile(path).seal("one", secret)
      assert.strictEqual(statSync(path).mode & 0o777, 0o600)
      assert.isFalse(yield* Effect.promise(() => isOpenToOthers(path)))
      assert.match(readFileSync(path, "utf8"), /^[A-Za-z0-9+/]{43}=\n$/)
      const opened = yield* AesSecretBox.withFile(path).open("one", sealed)
      assert.strictEqual(Redacted.value(opened), Redacted.value(secret))
      chmodSync(path, 0o640)
      assert.isTrue(yield* Effect.promise(() => isOpenToOthers(path)))
    })
  )

  it("is one, however many make it at once, and leaves nothing else", async () => {
    const data = newPlace()
    const path = keyFileIn(data)
    const keys = await Promise.all(Array.from({ length: 50 }, () => getKey(path)))
    assert.strictEqual(new Set(keys.map((key) => Buffer.from(key).toString("hex"))).size, 1)
    assert.deepStrictEqual(readdirSync(data), ["encryption.key"])
  })

  it.effect("is not made by reading a secret; the message names the file", () =>
    Effect.gen(function* () {
      const sealed = yield* boxWith(randomBytes(32)).seal("one", secret)
      const path = keyFileIn(newPlace())
      const error = yield* Effect.flip(AesSecretBox.withFile(path).open("one", sealed))
      assert.strictEqual(error._tag, "EncryptionKeyUnusable")
      assert.include(error.message, path)
      assert.isFalse(existsSync(path))
    })
  )

  it.effect("is refused if it is no key, or no file, in one line", () =>
    Effect.gen(function* () {
      for (const prepare of [
        (path: string) => writeFileSync(path, "hush\n"),
        (path: string) => writeFileSync(path, ""),
        (path: string) => mkdirSync(path)
      ]) {
        const data = newPlace()
        mkdirSync(data, { recursive: true })
        const path = keyFileIn(data)
        prepare(path)
        const error = yield* Effect.flip(AesSecretBox.withFile(path).seal("one", secret))
        assert.strictEqual(error._tag, "EncryptionKeyUnusable")
        assert.include(error.message, path)
        assert.notMatch(error.message, /\n|hush/)
      }
    })
  )
})
