import { Schema } from "effect"
import { withExample } from "../field/Example.ts"
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
