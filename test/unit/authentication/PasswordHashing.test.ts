import { argon2Sync } from "node:crypto"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Redacted } from "effect"
import type { Kdf } from "effect/crypto"
import {
  HashingPlace,
  HashingPlaces,
  PasswordHashing,
  signingIn
} from "../../../src/domain/authentication/PasswordHashing.ts"
import { ClientNetwork } from "../../../src/domain/shared/Client.ts"
import * as Argon2 from "../../../src/layers/adapters/Argon2.ts"
import * as Logs from "../../support/logs.ts"

const secret = (text: string) => Redacted.make(text)

const phc = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/

const place = Layer.succeed(HashingPlace, { client: signingIn(ClientNetwork.make("192.0.2.1")) })

const programs = {
  Node: NodeCrypto.layer,
  "the package": Argon2.layer.pipe(Layer.provideMerge(NodeCrypto.layer)),
  "Node, where the package is missing": Argon2.layerFor("a-package-that-is-not-installed").pipe(
    Layer.provideMerge(NodeCrypto.layer)
  )
}

for (const [name, crypto] of Object.entries(programs)) {
  layer(Layer.merge(place, PasswordHashing.layer.pipe(Layer.provide(crypto))))(
    `password hashes by ${name}`,
    (it) => {
      it.effect("are Argon2id with OWASP's parameters, in PHC form, with a random salt", () =>
        Effect.gen(function* () {
          const { hash } = yield* PasswordHashing
          const one = yield* hash(secret("пароль 🦋"))
          const other = yield* hash(secret("пароль 🦋"))
          const [, salt = "", key = ""] = phc.exec(one) ?? []
          assert.notStrictEqual(phc.exec(other)?.[1], salt)
          assert.notStrictEqual(one, other)
          const expected = argon2Sync("argon2id", {
            message: Buffer.from("пароль 🦋"),
            nonce: Buffer.from(salt, "base64"),
            memory: 19_456,
            passes: 2,
            parallelism: 1,
            tagLength: 32
          })
          assert.strictEqual(key, expected.toString("base64").replace(/=+$/, ""))
        })
      )

      it.effect("verify their password and no other", () =>
        Effect.gen(function* () {
          const { hash, verify } = yield* PasswordHashing
          const stored = yield* hash(secret("correct horse"))
          assert.isTrue(yield* verify(secret("correct horse"), stored))
          for (const wrong of ["correct hors", "correct horse ", "Correct horse", ""]) {
            assert.isFalse(yield* verify(secret(wrong), stored))
          }
        })
      )

      // Test vectors of the reference implementation (phc-winner-argon2, test.c).
      it.effect.each([
        ["m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc", "password"],
        ["m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4", "password"],
        ["m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc", "password"],
        ["m=65536,t=2,p=1$c29tZXNhbHQ$C4TWUs9rDEvq7w3+J4umqA32aWKB1+DSiRuBfYxFj94", "differentpassword"],
        ["m=65536,t=2,p=1$ZGlmZnNhbHQ$vfMrBczELrFdWP0ZsfhWsRPaHppYdP3MVEMIVlqoFBw", "password"]
      ] as const)("with other parameters are verified: %s", ([stored, password]) =>
        Effect.gen(function* () {
          const { verify } = yield* PasswordHashing
          assert.isTrue(yield* verify(secret(password), `$argon2id$v=19$${stored}`))
          assert.isFalse(yield* verify(secret(`${password}x`), `$argon2id$v=19$${stored}`))
        })
      )

      it.effect("that cannot be parsed are a defect, not a wrong password", () =>
        Effect.gen(function* () {
          const { verify } = yield* PasswordHashing
          for (const stored of [
            "",
            "plain",
            "$2b$10$abcdefghijklmnopqrstuv",
            "$argon2i$v=19$m=8,t=1,p=1$YWFhYWFhYWE$YWFh"
          ]) {
            const exit = yield* Effect.exit(verify(secret("x"), stored))
            assert.strictEqual(exit._tag, "Failure", stored)
          }
        })
      )

      it.effect("do not contain the password", () =>
        Effect.gen(function* () {
          const { hash } = yield* PasswordHashing
          const stored = yield* hash(secret("visible-password"))
          assert.notInclude(stored, "visible")
          assert.notInclude(Buffer.from(stored.split("$")[5] ?? "", "base64").toString("latin1"), "visible")
        })
      )
    }
  )
}

const limited = PasswordHashing.layer.pipe(
  Layer.provide(Layer.merge(NodeCrypto.layer, Layer.succeed(HashingPlaces, 1)))
)

layer(limited)("work that hashes", (it) => {
  it.effect("is completed when it is interrupted after it began, and then gives its place on", () =>
    Effect.gen(function* () {
      const { inPlace } = yield* PasswordHashing
      const own = inPlace(signingIn(ClientNetwork.make("192.0.2.1")))
      const done: Array<string> = []
      const opens = yield* Deferred.make<void>()
      const fork = (work: Effect.Effect<void>) => Effect.forkChild(own(work), { startImmediately: true })
      const first = yield* fork(Effect.map(Deferred.await(opens), () => void done.push("first")))
      const second = yield* fork(Effect.sync(() => void done.push("second")))
      first.interruptUnsafe()
      yield* Effect.yieldNow
      assert.deepStrictEqual(done, [])
      yield* Deferred.succeed(opens, undefined)
      yield* Fiber.join(second)
      assert.deepStrictEqual(done, ["first", "second"])
    })
  )
})

layer(Logs.layer)("the program that hashes passwords", (it) => {
  it.effect("is named in the log where the package is missing, and only there", () =>
    Effect.gen(function* () {
      const lines = yield* Logs.Logs
      const build = (program: Layer.Layer<Kdf.Kdf, never, Kdf.Kdf>) =>
        Effect.scoped(Layer.build(Layer.fresh(program.pipe(Layer.provide(NodeCrypto.layer)))))
      yield* build(Argon2.layer)
      assert.deepStrictEqual(lines, [])
      yield* build(Argon2.layerFor("a-package-that-is-not-installed"))
      assert.include(lines[0]?.text, "a-package-that-is-not-installed cannot be loaded")
    })
  )
})
