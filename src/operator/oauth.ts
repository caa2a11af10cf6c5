/** `forum oauth rotate-key`. */
import { Console, DateTime, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { SigningKeys } from "../domain/signing/SigningKeys.ts"
import { operating } from "./Operating.ts"
import { OperatorFailure } from "./OperatorFailure.ts"

const rotateKey = Command.make(
  "rotate-key",
  {
    now: Flag.Boolean("now").pipe(
      Flag.withDescription(
        "Sign with the new key at once and remove all others, which ends all access tokens: for a key that somebody else may know, or that cannot be decrypted"
      ),
      Flag.withDefault(false)
    )
  },
  Effect.fn(
    function* ({ now }) {
      const { replace, rotate } = yield* SigningKeys
      const { kid, signsFrom } = yield* (now ? replace() : rotate()).pipe(
        Effect.catchTags({
          OwnKeySigns: () =>
            new OperatorFailure({
              message:
                "The key of OAUTH_SIGNING_KEY_BASE64 signs. Put another one there, and start the service again."
            }),
          RotationUnderWay: () =>
            new OperatorFailure({
              message: "There is a new key already, which has not begun to sign. Wait for it, or use --now."
            })
        })
      )
      yield* Console.log(`The key ${kid} signs from ${DateTime.formatIso(signsFrom)} on.`)
    },
    Effect.provide(operating("found"))
  )
).pipe(
  Command.withDescription(
    "Makes a new key for signing tokens. Others are told of it at once, and it signs an hour later; the one before stays known until its last token has expired."
  ),
  Command.withExamples([
    { command: "forum oauth rotate-key", description: "Replace the key without anybody noticing" },
    { command: "forum oauth rotate-key --now", description: "Replace a key that somebody else knows" }
  ])
)

export const oauth = Command.make("oauth").pipe(
  Command.withDescription("What concerns programs that act for accounts."),
  Command.withSubcommands([rotateKey])
)
