/** Checks hashes by bcrypt, each on a thread that ends with it: few are checked, as each is replaced once it was. */
import { Layer } from "effect"
import { Bcrypt } from "../../../domain/authentication/Bcrypt.ts"
import { answerOfThread } from "../answerOfThread.ts"

/** What a thread is told to check. */
export interface Order {
  readonly password: string
  readonly hash: string
}

const program = new URL("./thread.ts", import.meta.url)

export const layer = Layer.succeed(Bcrypt, {
  verify: (password, hash) =>
    answerOfThread<boolean>(program, { password, hash } satisfies Order, "checked the hash")
})
