/** Makes the handbook on a service that runs, and prints what a guest reads of it. */
import { Config, Console, Effect } from "effect"
// Outside of this repository: import * as ForumClient from "forum-client"
import * as ForumClient from "../../src/client/Client.ts"
import { makeHandbook } from "./handbook.ts"

const settings = Config.all({
  baseUrl: Config.String("FORUM_URL").pipe(Config.withDefault("http://localhost:8000")),
  handle: Config.String("FORUM_HANDLE"),
  password: Config.String("FORUM_PASSWORD")
})

const program = Effect.gen(function* () {
  const { baseUrl, handle, password } = yield* settings
  const manager = yield* ForumClient.makeFetch({ baseUrl })
  yield* manager.auth.signIn({ payload: { identifier: handle, token: password } })
  const guest = yield* ForumClient.makeFetch({ baseUrl })
  yield* Console.log(yield* makeHandbook(manager, guest))
})

await Effect.runPromise(program)
