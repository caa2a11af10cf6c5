/** What a client of OAuth is told of the person for whom it acts (OpenID Connect Core 1.0, 5.3). */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { withExample } from "../field/Example.ts"
import { GrantStore, type Subject } from "../oauthgrant/GrantStore.ts"
import { emailClaims } from "../oauthgrant/IdTokens.ts"
import { CurrentAccount, Unauthenticated } from "../shared/Actor.ts"
import { AccountId } from "../shared/Id.ts"
import { userInfo } from "./TokenExamples.ts"

const withScope = (scope: string, description: string) => ({
  description: `${description}; with the scope \`${scope}\``
})

export const OAuthUserInfo = Schema.Struct({
  sub: AccountId.annotateKey({ description: "The id of the account" }),
  name: Schema.optionalKey(Schema.String).annotateKey(withScope("profile", "The name of the person")),
  preferred_username: Schema.optionalKey(Schema.String).annotateKey(
    withScope("profile", "The handle of the account")
  ),
  email: Schema.optionalKey(Schema.String).annotateKey(
    withScope("email", "An address of the person, a verified one if there is any; absent if there is none")
  ),
  email_verified: Schema.optionalKey(Schema.Boolean).annotateKey(
    withScope("email", "Whether the person has confirmed the address, if there is one")
  )
})
  .annotate({
    identifier: "OAuthUserInfo",
    description: "What a client is told of the person for whom it acts"
  })
  .pipe(withExample(userInfo))
export interface OAuthUserInfo extends Schema.Schema.Type<typeof OAuthUserInfo> {}

/** What the scopes of a token tell of a person. An address that there is not is left out (OpenID Connect Core 1.0, 5.3.2). */
export const userInfoOf = (
  subject: Pick<Subject, "accountId" | "handle" | "name" | "email">,
  scopes: ReadonlySet<string>
): OAuthUserInfo => ({
  sub: subject.accountId,
  ...(scopes.has("profile") ? { name: subject.name, preferred_username: subject.handle } : {}),
  ...(scopes.has("email") && subject.email !== undefined ? emailClaims(subject) : {})
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
