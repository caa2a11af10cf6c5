/** What a client of OAuth is told of the person for whom it acts (OpenID Connect Core 1.0, 5.3). */
import { Context, Effect, Layer, Option } from "effect"
import { GrantStore, type Subject } from "../oauthgrant/GrantStore.ts"
import { emailClaims } from "../oauthgrant/IdTokens.ts"
import { CurrentAccount, Unauthenticated } from "../shared/Actor.ts"
import type { OAuthUserInfo } from "./OAuthUserInfo.ts"

/** What the scopes of a token tell of a person. An address that there is not is left out (OpenID Connect Core 1.0, 5.3.2). */
export const userInfoOf = (
  subject: Pick<Subject, "accountId" | "handle" | "name" | "email">,
  scopes: ReadonlySet<string>
): OAuthUserInfo => ({
  sub: subject.accountId,
  ...(scopes.has("profile") ? { name: subject.name, preferred_username: subject.handle } : {}),
  ...(scopes.has("email") ? emailClaims(subject) : {})
})

const make = Effect.gen(function* () {
  const store = yield* GrantStore

  /** What the client that calls is told. */
  const get = Effect.fn("UserInfo.get")(function* () {
    const { accountId, scopes = new Set<string>() } = yield* CurrentAccount
    const subject = yield* store.findSubject(accountId)
    // The account was removed since the caller was read.
    if (Option.isNone(subject)) return yield* new Unauthenticated()
    return userInfoOf(subject.value, scopes)
  })

  return { get } as const
})

export class UserInfo extends Context.Service<UserInfo, Effect.Success<typeof make>>()(
  "forum/domain/UserInfo"
) {
  static readonly layer = Layer.effect(UserInfo, make)
}
