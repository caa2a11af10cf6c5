/** The access key that a service is read with, which is never an argument: those are visible to everybody on the machine. */
import { open } from "node:fs/promises"
import { Effect, Option, Redacted } from "effect"
import { OperatorFailure } from "../../OperatorFailure.ts"

/** The variable of the environment that has it. */
export const keyVariable = "FORUM_SOURCE_KEY"

// More than any key has.
const lengthMax = 4096

/** Only what a header may have: an error of the platform would tell the rest to whoever reads it. */
const keyIn = (text: string, from: string) => {
  const key = text.trim()
  return /^[\x21-\x7e]+$/.test(key) && key.length <= lengthMax
    ? Effect.succeed(Redacted.make(key))
    : Effect.fail(new OperatorFailure({ message: `${from} has no access key.` }))
}

const beginning = (path: string) =>
  Effect.tryPromise({
    try: async () => {
      const file = await open(path, "r")
      try {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(lengthMax + 2), 0, lengthMax + 2, 0)
        return buffer.toString("utf8", 0, bytesRead)
      } finally {
        await file.close()
      }
    },
    catch: () => new OperatorFailure({ message: `${path} cannot be read.` })
  })

export const sourceKey = (
  file: Option.Option<string>,
  environment: Readonly<Record<string, string | undefined>>
): Effect.Effect<Redacted.Redacted, OperatorFailure> => {
  if (Option.isSome(file)) return Effect.flatMap(beginning(file.value), (text) => keyIn(text, file.value))
  const given = environment[keyVariable]
  return given === undefined || given === ""
    ? Effect.fail(
        new OperatorFailure({
          message: `Set ${keyVariable} to an access key of an administrator of the service, or name a file with it: --key-file.`
        })
      )
    : keyIn(given, keyVariable)
}
