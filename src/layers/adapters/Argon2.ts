/**
 * Argon2id by the package @node-rs/argon2, which takes a third of the time that Node's own takes. The package is
 * optional, as it is not built for every machine.
 */
import { Effect, Layer } from "effect"
import { Kdf } from "effect/crypto"

type Program = typeof import("@node-rs/argon2")

type Shape = Kdf.Kdf["Service"]

const withProgram = ({ hashRaw }: Program, { derive }: Shape) =>
  Kdf.Kdf.of({
    derive: (algorithm, secret, options) => {
      if (algorithm._tag !== "Argon2id") return derive(algorithm, secret, options)
      const { memory: memoryCost, parallelism, passes: timeCost } = algorithm
      const { length: outputLen, salt } = options
      // What has begun goes on in its thread, whoever waits for it.
      return Effect.uninterruptible(
        Effect.promise(() => hashRaw(secret, { memoryCost, timeCost, parallelism, outputLen, salt }))
      )
    }
  })

/** Hashes by the package `name`, and by Node where that cannot be loaded. */
export const layerFor = (name: string) =>
  Layer.effect(
    Kdf.Kdf,
    Effect.gen(function* () {
      const before = yield* Kdf.Kdf
      return yield* Effect.tryPromise((): Promise<Program> => import(name)).pipe(
        Effect.map((program) => withProgram(program, before)),
        Effect.catch(() =>
          Effect.as(
            Effect.logInfo(
              `The optional package ${name} cannot be loaded: Node hashes passwords, which takes three times as long`
            ),
            before
          )
        )
      )
    })
  )

export const layer = layerFor("@node-rs/argon2")
