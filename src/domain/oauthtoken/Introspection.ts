/** What clients are told of their tokens (RFC 7662, 2.2). */
import { Schema } from "effect"
import { withExample } from "../field/Example.ts"
import { AccountId } from "../shared/Id.ts"
import { introspected } from "./TokenExamples.ts"

const time = (description: string) =>
  Schema.optionalKey(Schema.Int).annotateKey({ description: `${description}, in seconds since 1970` })

const text = (description: string) => Schema.optionalKey(Schema.String).annotateKey({ description })

export const Introspected = Schema.Struct({
  active: Schema.Boolean.annotate({
    description: "Whether the token is worth anything; if not, nothing else is told"
  }),
  scope: text("What was granted, as words that are separated by spaces"),
  client_id: text("The id by which the client names itself"),
  username: text("The handle of the account"),
  token_type: Schema.optionalKey(Schema.Literal("Bearer")).annotateKey({
    description: "How it is sent; absent for a refresh token"
  }),
  exp: time("Until when it can be used"),
  iat: time("When it was issued"),
  sub: Schema.optionalKey(AccountId).annotateKey({ description: "The account that the client acts for" }),
  aud: text("What the token is for; absent for a refresh token"),
  iss: text("Who has issued it"),
  jti: text("The id of the token; absent for a refresh token")
})
  .annotate({ identifier: "OAuthIntrospection", description: "What a token is worth now" })
  .pipe(withExample(introspected))
export interface Introspected extends Schema.Schema.Type<typeof Introspected> {}
