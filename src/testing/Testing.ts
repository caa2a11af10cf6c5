/**
 * A whole forum for the tests of a frontend, a bot or a plugin: `startForum` for programs with promises, `Forum.layer`
 * for programs with Effect. The page docs/testing.md of the service shows both.
 */
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { Forum, type ForumOptions } from "./Forum.ts"

export type { Account, CategoryOptions, PageOptions, ThreadOptions } from "./Builders.ts"
export type { Faults } from "./Faults.ts"
export { Forum, type ForumOptions } from "./Forum.ts"
export { NothingSent, type SentMail, type SentText } from "./Messages.ts"
export type { GivenAnswer, SentRequest } from "./Requests.ts"
export { storesAfter, storesBut } from "./Stores.ts"

type Promised<Service> = {
  readonly [Name in keyof Service]: Service[Name] extends (
    ...given: infer Given
  ) => Effect.Effect<infer Answer, infer _Failure>
    ? (...given: Given) => Promise<Answer>
    : Service[Name] extends object
      ? Promised<Service[Name]>
      : Service[Name]
}

/** A forum whose operations are promises. */
export type StartedForum = Promised<Forum["Service"]> & {
  /** Ends the forum, and removes everything that it has written. */
  readonly stop: () => Promise<void>
} & AsyncDisposable

/** What is done to an operation does not depend on which it is, so it is written without their types. */
const promised = (service: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(service).map(([name, member]: [string, unknown]) => {
      if (typeof member === "function") {
        return [name, (...given: ReadonlyArray<unknown>) => Effect.runPromise(member(...given))]
      }
      return [name, typeof member === "object" && member !== null ? promised(member) : member]
    })
  )

/** Starts a forum: `await using forum = await startForum({ seed: 42, now: "2026-01-01T00:00:00Z" })`. */
export const startForum = async (options: ForumOptions = {}): Promise<StartedForum> => {
  const scope = Scope.makeUnsafe()
  const end = Effect.runPromise(Effect.cached(Scope.close(scope, Exit.void)))
  const stop = async () => Effect.runPromise(await end)
  const context = await Effect.runPromise(Layer.buildWithScope(Forum.layer(options), scope))
  // The operations are those of the service, whose types `Promised` derives.
  const forum = promised(Context.get(context, Forum)) as unknown as Promised<Forum["Service"]>
  return { ...forum, stop, [Symbol.asyncDispose]: stop }
}
