import { createHash, pbkdf2Sync } from "node:crypto"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { assert, layer } from "@effect/vitest"
import { hashSync } from "bcryptjs"
import { Effect, Layer, Redacted } from "effect"
import {
  HashingPlace,
  PasswordHashing,
  signingIn
} from "../../../src/domain/authentication/PasswordHashing.ts"
import { makePasswordVerification } from "../../../src/domain/authentication/PasswordVerification.ts"
import { ClientNetwork } from "../../../src/domain/shared/Client.ts"
import * as BcryptThread from "../../../src/layers/adapters/passwords/BcryptThread.ts"

const place = Layer.succeed(HashingPlace, { client: signingIn(ClientNetwork.make("192.0.2.1")) })

const programs = Layer.mergeAll(place, BcryptThread.layer, PasswordHashing.layer).pipe(
  Layer.provideMerge(NodeCrypto.layer)
)

const unpadded = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64").replace(/=+$/, "")

const digestOf = { sha1: "sha1", sha256: "sha256", sha512: "sha512" } as const

const pbkdf2 = (name: keyof typeof digestOf, password: string, iterations: number, length: number) =>
  `$pbkdf2-${name}$i=${iterations},l=${length}$${unpadded(Buffer.from("a salt"))}$${unpadded(
    pbkdf2Sync(password, "a salt", iterations, length, digestOf[name])
  )}`

const sha512 = (text: string) => createHash("sha512").update(text).digest("hex")

const accented = { composed: "caf\u00e9 \u00fcber", decomposed: "cafe\u0301 u\u0308ber" }

layer(programs)("a password is checked against a hash by another program", (it) => {
  it.effect.each([
    // Of the tests of the first implementation of bcrypt, and RFC 6070.
    ["$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", "U*U"],
    ["$2a$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK", "U*U*"],
    ["$pbkdf2-sha1$i=4096,l=20$c2FsdA$SwB5AbdlSJq+rUnZJvch0GWkKcE", "password"],
    [hashSync("пароль 🦋", 4), "пароль 🦋"],
    [hashSync("пароль 🦋", 4).replace("$2b$", "$2y$"), "пароль 🦋"],
    [`$sha512${hashSync(sha512("correct horse"), 4)}`, "correct horse"],
    [pbkdf2("sha256", "correct horse", 64_000, 32), "correct horse"],
    [pbkdf2("sha512", "correct horse", 1000, 64), "correct horse"],
    // Others hash what was typed, and programs type differently.
    [hashSync(accented.decomposed, 4), accented.decomposed],
    [hashSync(accented.composed, 4), accented.decomposed],
    [pbkdf2("sha256", accented.decomposed, 10, 32), accented.decomposed],
    [pbkdf2("sha256", accented.composed, 10, 32), accented.decomposed]
  ] as const)("%s", ([stored, password]) =>
    Effect.gen(function* () {
      const verify = yield* makePasswordVerification
      assert.isTrue(yield* verify(Redacted.make(password), stored))
      assert.isFalse(yield* verify(Redacted.make(`${password}x`), stored))
      assert.isFalse(yield* verify(Redacted.make(password.slice(0, -1)), stored))
    })
  )

  it.effect("of ours", () =>
    Effect.gen(function* () {
      const verify = yield* makePasswordVerification
      const { hash, isOfToday } = yield* PasswordHashing
      const stored = yield* hash(Redacted.make("correct horse"))
      assert.isTrue(yield* verify(Redacted.make("correct horse"), stored))
      assert.isFalse(yield* verify(Redacted.make("correct hors"), stored))
      assert.isTrue(isOfToday(stored))
      assert.isFalse(isOfToday(stored.replace("t=2", "t=1")))
    })
  )
})
