/** Passwords, which are never arguments: those are visible to everybody on the machine. */
import { Effect, Redacted, Schema } from "effect"
import { Prompt } from "effect/cli"
import { Password } from "../domain/authentication/Password.ts"
import { OperatorFailure } from "./OperatorFailure.ts"

// More than any password has.
const bytesMax = 64 * 1024

const isPassword = Schema.is(Password)

const invalid = new OperatorFailure({
  message: "The password must have at least 8 bytes and at most 10,000 characters."
})

const severalLines = new OperatorFailure({
  message: "The password must be one line: standard input has several."
})

const check = (password: Redacted.Redacted) =>
  isPassword(Redacted.value(password)) ? Effect.succeed(password) : Effect.fail(invalid)

const fromInput = Effect.tryPromise({
  try: async () => {
    const parts: Array<Buffer> = []
    let length = 0
    for await (const part of process.stdin) {
      parts.push(part)
      length += part.length
      if (length > bytesMax) break
    }
    // The end of the line is not part of it.
    return Redacted.make(
      Buffer.concat(parts)
        .toString("utf8")
        .replace(/\r?\n$/, "")
    )
  },
  catch: (cause) => new OperatorFailure({ message: `Standard input cannot be read: ${cause}` })
})

const fromPrompt = Effect.gen(function* () {
  const password = yield* check(yield* Prompt.Password({ message: "Password" }))
  const again = yield* Prompt.Password({ message: "The same again" })
  return Redacted.value(again) === Redacted.value(password)
    ? password
    : yield* new OperatorFailure({ message: "These were two different passwords." })
})

const checkOneLine = (password: Redacted.Redacted) =>
  /[\r\n]/.test(Redacted.value(password)) ? Effect.fail(severalLines) : check(password)

/** A password, from standard input or, where that is a terminal, asked for there. */
export const readPassword = Effect.suspend(() =>
  process.stdin.isTTY ? fromPrompt : Effect.flatMap(fromInput, checkOneLine)
)
