/** `forum create-admin`, `reset-password`, `suspend` and `reinstate`. */
import { Console, Effect, Redacted } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Suspensions } from "../domain/moderation/Suspensions.ts"
import { OperatorAccounts } from "../domain/operator/OperatorAccounts.ts"
import { operating } from "./Operating.ts"
import { readPassword } from "./Secret.ts"

const handle = Argument.String("handle").pipe(
  Argument.withDescription("The handle of the account, or its id")
)

export const createAdmin = Command.make(
  "create-admin",
  {
    handle: Argument.String("handle").pipe(
      Argument.withDescription("The handle of the new account: letters, digits, - and _")
    )
  },
  Effect.fn(function* ({ handle }) {
    const password = yield* readPassword
    yield* Effect.gen(function* () {
      const { createAdministrator } = yield* OperatorAccounts
      yield* Console.log(`${yield* createAdministrator(handle, password)} is an administrator.`)
    }).pipe(Effect.provide(operating("made")))
  })
).pipe(
  Command.withDescription(
    "Makes an account that is an administrator, whoever may sign up. The password is read from standard input, or asked for in a terminal."
  ),
  Command.withExamples([
    { command: "forum create-admin odin", description: "Ask for the password" },
    { command: "forum create-admin odin < password", description: "Read it from a file" }
  ])
)

export const resetPassword = Command.make(
  "reset-password",
  {
    handle,
    stdin: Flag.Boolean("stdin").pipe(
      Flag.withDescription("Set this password, from standard input or asked for, instead of a random one"),
      Flag.withDefault(false)
    ),
    endSessions: Flag.Boolean("end-sessions").pipe(
      Flag.withDescription("Also sign the account out everywhere"),
      Flag.withDefault(false)
    )
  },
  Effect.fn(function* ({ endSessions, handle, stdin }) {
    const given = stdin ? yield* readPassword : undefined
    yield* Effect.gen(function* () {
      const { makePassword, setPassword } = yield* OperatorAccounts
      const password = given ?? Redacted.make(yield* makePassword)
      yield* setPassword(handle, password, endSessions)
      yield* Console.error(`The account ${handle} has a new password.`)
      if (given === undefined) yield* Console.log(Redacted.value(password))
    }).pipe(Effect.provide(operating("found")))
  })
).pipe(
  Command.withDescription(
    "Gives an account a random password, which is printed once and should be changed after it was used, or one from standard input. Access keys stay valid."
  ),
  Command.withExamples([
    { command: "forum reset-password odin --end-sessions", description: "Print a random password" },
    { command: "forum reset-password odin --stdin < password", description: "Set one from a file" }
  ])
)

const suspension = (name: string, suspended: boolean, description: string) =>
  Command.make(
    name,
    { handle },
    Effect.fn(
      function* ({ handle }) {
        const { byOperator } = yield* Suspensions
        const account = yield* byOperator(handle, suspended)
        yield* Console.log(`${account.handle} is ${suspended ? "suspended" : "reinstated"}.`)
      },
      Effect.provide(operating("found"))
    )
  ).pipe(Command.withDescription(description))

export const suspend = suspension(
  "suspend",
  true,
  "Suspends an account, administrators included: from its next request on it can only sign out."
)

export const reinstate = suspension("reinstate", false, "Reinstates an account that is suspended.")
